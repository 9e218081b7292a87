import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { responseLimits } from './response-limits.ts';
import { failureOf, fetchText, transportFixture } from './transport.fixture.ts';

const { startServer, transportTo } = transportFixture();

const MIB = 1024 * 1024;

describe.each(['h2', 'http/1.1'])('responses over %s', (protocol) => {
  const startBomb = (headers: Record<string, string>, body: Buffer, status = 200) =>
    startServer(
      (_, response) => {
        response.writeHead(status, headers);
        response.end(body);
      },
      { protocol },
    );

  it.each([
    ['version', 200, MIB],
    ['list', 403, MIB],
    ['discovery', 200, 32 * MIB],
    ['object', 200, 8 * MIB],
    [undefined, 200, 8 * MIB],
  ] as const)(
    'S-10: the body of a %s with status %i has a limit after decompression',
    async (purpose, status, limit) => {
      const largest = Buffer.alloc(limit, 'x');
      const options = purpose && { purpose };
      for (const [body, isTaken] of [
        [largest, true],
        [Buffer.concat([largest, largest]), false],
      ] as const) {
        const server = await startBomb({ 'content-encoding': 'gzip' }, gzipSync(body, { level: 1 }), status);
        const text = fetchText(transportTo(server), '/', options);
        if (isTaken) expect(await text).toHaveLength(limit);
        else
          expect(await failureOf(text)).toMatchObject({
            code: 'oversized',
            message: `localhost:${server.port}: the body has more than ${limit} bytes: raise limits.${status === 200 ? (purpose ?? 'object') : 'refusal'}`,
          });
      }
    },
  );

  it('S-10: compressed data that decompresses to nothing is limited before decompression', async () => {
    // An empty gzip member has 20 bytes, and a stream may contain any number of members.
    const nothing = gzipSync(Buffer.alloc(0));
    const server = await startBomb(
      { 'content-encoding': 'gzip' },
      Buffer.concat(Array.from({ length: 100_000 }, () => nothing)),
    );
    const failure = await failureOf(fetchText(transportTo(server), '/', { purpose: 'version' }));
    expect(failure).toMatchObject({ code: 'oversized' });
  });

  it('S-10: a list has a limit only if one is set', async () => {
    const server = await startBomb({}, Buffer.alloc(9 * MIB, 'x'));
    expect(await fetchText(transportTo(server), '/', { purpose: 'list' })).toHaveLength(9 * MIB);
    const limited = transportTo(server, {}, { limits: { list: 9 * MIB - 1 } });
    expect(await failureOf(fetchText(limited, '/', { purpose: 'list' }))).toMatchObject({ code: 'oversized' });
  });

  it('S-10: all pages of a list share one limit, and a page that was not read completely does not count', async () => {
    const server = await startBomb({}, Buffer.alloc(MIB, 'x'));
    const limited = transportTo(server, {}, { limits: { list: 2 * MIB } });
    const total = { bytes: 0 };
    const page = () => fetchText(limited, '/', { purpose: 'list', total });
    await page();
    const abandoned = await limited.send({ method: 'GET', path: '/', purpose: 'list', total });
    for await (const _ of abandoned.body) break;
    await page();
    expect(total).toEqual({ bytes: 2 * MIB });
    expect(await failureOf(page())).toMatchObject({
      code: 'oversized',
      message: `localhost:${server.port}: the list has more than ${2 * MIB} bytes: raise limits.list, or select fewer objects`,
    });
    expect(await fetchText(limited, '/', { purpose: 'list', total: { bytes: 0 } })).toHaveLength(MIB);
  });

  it('S-10: header fields are limited in size and number', async () => {
    const server = await startServer(
      (request, response) => {
        const fields =
          request.url === '/large'
            ? { large: 'x'.repeat(100_000) }
            : Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`h${i}`, 'x'.repeat(10)]));
        response.writeHead(200, fields);
        response.end('body');
      },
      { protocol },
    );
    for (const path of ['/large', '/many']) await failureOf(fetchText(transportTo(server), path, { retry: 'never' }));
  });
});

describe('limits', () => {
  it('S-10: each have a default', () => {
    expect(responseLimits('createClient')).toEqual({
      version: MIB,
      refusal: MIB,
      discovery: 32 * MIB,
      object: 8 * MIB,
      list: Infinity,
    });
    expect(responseLimits('createClient', { object: 1 })).toMatchObject({ object: 1, version: MIB, list: Infinity });
  });

  it.each([{ object: 0 }, { list: Number.NaN }, { version: '1' }, { bodies: 1 }])('S-10: refuses %j', (limits) => {
    const [name = ''] = Object.keys(limits);
    expect(() => responseLimits('createClient', limits as never)).toThrow(`option "limits.${name}"`);
  });
});
