import { afterEach, describe, expect, it } from '@jest/globals';
import { queryDns } from './dns-query.ts';
import { startDnsServer } from './dns-server.fixture.ts';

const never = new AbortController().signal;
const EU = { A: [10, 0, 0, 1], AAAA: [0xfd, ...Array<number>(14).fill(0), 1] };

describe('queryDns', () => {
  let server: Awaited<ReturnType<typeof startDnsServer>> | undefined;
  const start = async (...names: Parameters<typeof startDnsServer>): Promise<readonly [string]> => {
    server = await startDnsServer(...names);
    return [server.address];
  };
  afterEach(async () => {
    await server?.[Symbol.asyncDispose]();
    server = undefined;
  });

  it('F-12: returns the addresses of both families', async () => {
    const servers = await start({ 'eu.test': EU });
    expect(await queryDns('eu.test', never, servers)).toEqual([
      { address: '10.0.0.1', family: 4 },
      { address: 'fd00::1', family: 6 },
    ]);
    expect(server?.queries.toSorted()).toEqual(['A eu.test', 'AAAA eu.test']);
  });

  it('F-12: returns addresses of one family if the name has no others', async () => {
    const servers = await start({ 'four.test': { A: EU.A }, 'six.test': { AAAA: EU.AAAA } });
    expect(await queryDns('four.test', never, servers)).toEqual([{ address: '10.0.0.1', family: 4 }]);
    expect(await queryDns('six.test', never, servers)).toEqual([{ address: 'fd00::1', family: 6 }]);
  });

  it('F-12: fails if the name does not exist or has no address', async () => {
    const servers = await start({ 'empty.test': {} });
    await expect(queryDns('none.test', never, servers)).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(queryDns('empty.test', never, servers)).rejects.toMatchObject({ code: 'ENODATA' });
  });

  it('F-12: rejects immediately when the signal aborts', async () => {
    const servers = await start({ 'slow.test': 'silent' });
    const abort = new AbortController();
    const query = queryDns('slow.test', abort.signal, servers);
    abort.abort(new Error('no longer needed'));
    await expect(query).rejects.toThrow('no longer needed');
    await expect(queryDns('slow.test', abort.signal, servers)).rejects.toThrow('no longer needed');
  });

  it.each(['localhost', 'eu.localhost', 'LOCALHOST.'])('F-12: does not query a name server for %s', async (name) => {
    const servers = await start({});
    expect(await queryDns(name, never, servers)).toEqual([
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
    expect(server?.queries).toEqual([]);
  });
});
