import { describe, expect, it } from '@jest/globals';
import { ConfigMap } from '../kinds/builtin.ts';
import type { LogFields, Logger } from '../log/logger.ts';
import { silentLogger } from '../log/logger.ts';
import type { Handler, TestServer } from '../transport/server.fixture.ts';
import { transportFixture } from '../transport/transport.fixture.ts';
import { createClient, type ClientOptions } from './create-client.ts';
import { parseWarnings, type Warning } from './warning-header.ts';

const key = { namespace: 'ns', name: 'a' };

describe('parseWarnings', () => {
  it.each<[string, string[]]>([
    ['299 - "v1beta1 Widget is deprecated"', ['v1beta1 Widget is deprecated']],
    ['299 kube "a, b" "Sat, 01 Jan 2026 00:00:00 GMT", 299 - "c"', ['a, b', 'c']],
    [String.raw`299 - "unknown field \"spec.a\\b\""`, ['unknown field "spec.a\\b"']],
    ['299 - "a",299 - "b"', ['a', 'b']],
    ['299 - "a", nonsense, 299 - "b"', ['a']],
    ['299 - "never ends', []],
    ['', []],
  ])('reads %j', (header, texts) => {
    expect(parseWarnings(header).map(({ text }) => text)).toEqual(texts);
  });

  it('keeps the code, the agent, and text that is not UTF-8', () => {
    expect(parseWarnings('299 - "5 €"')).toMatchObject([{ text: '5 €' }]);
    expect(parseWarnings('199 proxy.example "caf\u00e9"')).toEqual([
      { code: 199, agent: 'proxy.example', text: 'café' },
    ]);
  });
});

describe('warnings of a server', () => {
  const { startServer, authority } = transportFixture();

  /** Answers every request with these `Warning` headers. */
  const warning =
    (...headers: string[]): Handler =>
    (request, response) => {
      request.resume();
      response.setHeader(
        'warning',
        headers.map((header) => Buffer.from(header).toString('latin1')),
      );
      // Over HTTP/1.1, a string body would make Node.js write the headers as UTF-8.
      response.end(Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: key })));
    };

  const clientOf = ({ port }: TestServer, options: ClientOptions) =>
    createClient({ server: `https://localhost:${port}`, tls: { caData: authority().cert } }, options);

  it.each(['h2', 'http/1.1'])('K-15: reach the handler with their request over %s', async (protocol) => {
    const server = await startServer(warning('299 - "Größe ist unbekannt"', '299 - "b"'), { protocol });
    const told: [Warning, string][] = [];
    await using client = clientOf(server, {
      onWarning: (each, { method, path }) => told.push([each, `${method} ${path}`]),
    });
    await client.create(ConfigMap, { metadata: key }, { fieldValidation: 'Warn' });
    const path = 'POST /api/v1/namespaces/ns/configmaps?fieldValidation=Warn';
    expect(told).toEqual([
      [{ code: 299, agent: '-', text: 'Größe ist unbekannt' }, path],
      [{ code: 299, agent: '-', text: 'b' }, path],
    ]);
  });

  it('are logged once each, at most 256 of them', async () => {
    const lines: LogFields[] = [];
    const logger: Logger = { ...silentLogger, warn: (_, fields = {}) => void lines.push(fields) };
    let number = 0;
    const server = await startServer((request, response) => {
      number += 1;
      warning(`299 - "same"`, `299 - "warning ${number}"`, '199 - "of a proxy"')(request, response);
    });
    await using client = clientOf(server, { logger });
    for (let i = 0; i < 300; i += 1) await client.get(ConfigMap, key);
    expect(lines.slice(0, 3).map((fields) => fields['warning'])).toEqual(['same', 'warning 1', 'warning 2']);
    expect(lines).toHaveLength(257);
    expect(lines.at(-1)).toEqual({});
  });

  it('do not fail the call when the handler throws', async () => {
    const errors: LogFields[] = [];
    const logger: Logger = { ...silentLogger, error: (_, fields = {}) => void errors.push(fields) };
    const failure = new Error('the handler is broken');
    const onWarning = () => {
      throw failure;
    };
    await using client = clientOf(await startServer(warning('299 - "a"')), { logger, onWarning });
    expect((await client.get(ConfigMap, key)).metadata.name).toBe('a');
    expect(errors).toEqual([{ error: failure }]);
  });
});
