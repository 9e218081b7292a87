import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { createManager, InMemoryProvider, type Logger } from '@mcr/core';
import { eventually, InMemoryCluster } from '@mcr/core/testing';
import { createServingIdentity } from '@mcr/envtest';
import { parse } from 'yaml';
import { runMcr } from '../command/mcr-program.ts';
import { replicaStatusSchema } from './manager/replica-status.ts';

const MINUTE = 60_000;

/** Returns the status of a cluster as a manager serves it. */
function cluster(name: string, fields: object = {}): object {
  const since = Date.now() - 15.5 * MINUTE;
  return {
    ...{ name, phase: 'Engaged', since, reason: 'all sources have synced', sources: {}, objects: 3, reconciles: 7 },
    ...{ errors: 1, cachedBytes: 12 * 1024 * 1024, labels: { env: 'prod' } },
    history: [{ phase: 'Connecting', at: since, reason: 'waiting for the first response' }],
    ...fields,
  };
}

interface Result {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

async function run(args: readonly string[], signal = new AbortController().signal): Promise<Result> {
  let [out, err] = ['', ''];
  const status = await runMcr(['fleet', ...args], {
    print: (part) => void (out += part),
    warn: (part) => void (err += part),
    signal,
  });
  return { status, out, err };
}

describe('mcr fleet', () => {
  const servers: Server[] = [];
  let directory: string;
  /** The clusters that the replica at `url` reports. */
  let clusters: object[];
  let url: string;

  async function serve(answer: RequestListener, server: Server = createServer()): Promise<string> {
    server.on('request', answer);
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  const replica = (reported: () => readonly object[]): Promise<string> =>
    serve((request, response) => {
      if (request.url === '/fleet') response.end(JSON.stringify({ clusters: reported() }));
      else response.writeHead(404).end();
    });

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-fleet-'));
    url = await replica(() => clusters);
  });
  afterAll(async () => {
    for (const server of servers) server.close();
    await rm(directory, { recursive: true });
  });
  beforeEach(() => {
    clusters = [cluster('eu-2', { phase: 'Unreachable', reason: 'connection refused' }), cluster('eu-1'), cluster('')];
  });

  it('WB-5: prints a line for each cluster, with more columns on request', async () => {
    const table = await run(['--url', url]);
    expect(table).toEqual({
      status: 0,
      err: '',
      out:
        'NAME      PHASE         SINCE   OBJECTS   ERRORS   REASON\n' +
        '(local)   Engaged       15m     3         1        all sources have synced\n' +
        'eu-1      Engaged       15m     3         1        all sources have synced\n' +
        'eu-2      Unreachable   15m     3         1        connection refused\n',
    });
    const wide = await run(['list', 'eu-1', '--url', `${url}/fleet`, '-o', 'wide']);
    expect(wide.out).toBe(
      'NAME   PHASE     SINCE   OWNER    OBJECTS   CACHED   RECONCILES   ERRORS   LABELS     REASON\n' +
        'eu-1   Engaged   15m     <none>   3         12Mi     7            1        env=prod   all sources have synced\n',
    );
  });

  it('WB-5: colors phases on a terminal only, and keeps the columns aligned', async () => {
    let out = '';
    const print = (text: string): void => void (out += text);
    const { signal } = new AbortController();
    await runMcr(['fleet', '--url', url], { print, warn: print, signal, isColored: true });
    expect(out).toContain('\u001B[32mEngaged    \u001B[39m   15m');
    expect(out).toContain('\u001B[31mUnreachable\u001B[39m   15m');
    expect(stripVTControlCharacters(out)).toBe((await run(['--url', url])).out);
  });

  it('WB-5: prints JSON and YAML with every field that the manager serves', async () => {
    const known = [cluster('eu-1', { later: { field: 1 } })];
    clusters = known;
    expect(JSON.parse((await run(['--url', url, '-o', 'json'])).out)).toEqual({ clusters: known });
    expect(parse((await run(['--url', url, '-o', 'yaml'])).out)).toEqual({ clusters: known });
  });

  it('WB-5: selects clusters by name and by label, and names those that are missing', async () => {
    clusters = [cluster('eu-1'), cluster('eu-2', { labels: { env: 'test' } }), cluster('')];
    expect((await run(['--url', url, '-l', 'env=test', '--no-headers'])).out).toMatch(/^eu-2 [^\n]*\n$/);
    const named = await run(['list', 'eu-1', '(local)', 'us-1', '--url', url, '--no-headers']);
    expect(named.out).toMatch(/^\(local\) .*\neu-1 .*\n$/);
    expect(named).toMatchObject({ status: 1, err: 'mcr: cluster "us-1" is not in the fleet: see mcr fleet list\n' });
  });

  it('WB-5: a cluster can have the name of a command, and options can come before a command', async () => {
    clusters = [cluster('add'), cluster('-o'), cluster('list')];
    expect((await run(['list', 'add', '--url', url, '-o', 'name'])).out).toBe('add\n');
    expect((await run(['get', 'list', '--url', url, '-o', 'name'])).out).toBe('list\n');
    expect((await run(['--url', url, '--no-headers', '--', 'add'])).out).toMatch(/^add /);
    expect((await run(['--url', url, 'list', '--', '-o'])).out).toMatch(/^-o /m);
    expect((await run(['--url', url, 'describe', 'add'])).out).toMatch(/^Name: +add$/m);
  });

  it('WB-5: the README explains every field of a cluster', async () => {
    const readme = await readFile(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
    const [, table = ''] = /^\| field .*\n((?:\|.*\n)+)/m.exec(readme) ?? [];
    const documented = table.split('\n').flatMap((line) => line.split('|')[1]?.match(/(?<=`)\w+(?=`)/g) ?? []);
    const fields = Object.keys(replicaStatusSchema.shape.clusters.element.shape);
    expect(documented.toSorted()).toEqual(fields.toSorted());
  });

  it('WB-5: selects clusters by phase, sorts them, and prints their names', async () => {
    clusters = [
      cluster('a', { errors: 10 }),
      cluster('b', { phase: 'Degraded', errors: 9 }),
      cluster('c', { phase: 'Unreachable', errors: 100 }),
    ];
    const names = async (...args: string[]): Promise<string> => (await run(['--url', url, '-o', 'name', ...args])).out;
    expect(await names()).toBe('a\nb\nc\n');
    expect(await names('--phase', 'degraded', '--phase=Unreachable')).toBe('b\nc\n');
    expect(await names('--sort-by', 'errors')).toBe('b\na\nc\n');
    expect(await names('--sort-by', 'phase')).toBe('b\na\nc\n');
    const none = await run(['--url', url, '--phase', 'Syncing', '--no-headers']);
    expect(none).toEqual({ status: 0, out: '', err: 'mcr: no clusters found\n' });
  });

  it('WB-5: describes one cluster, with its sources and its history', async () => {
    const sources = { 'v1 ConfigMap': { synced: true, objects: 3, staleFor: 2 * MINUTE } };
    const isolation = { state: 'slow', since: Date.now() - MINUTE, reason: 'a call took 2 s' };
    const ownership = { state: 'active', owner: 'copier-1' };
    clusters = [
      cluster('eu-1', { sources, isolation, ownership, lastError: 'refused', lastErrorAt: Date.now() - MINUTE }),
    ];
    const { out, status } = await run(['describe', 'eu-1', '--url', url]);
    expect(status).toBe(0);
    for (const line of [
      /^Name: +eu-1$/m,
      /^Phase: +Engaged, since 15m ago$/m,
      /^Owner: +copier-1, active in the replica that reports$/m,
      /^Isolation: +slow, since 6\ds ago: a call took 2 s$/m,
      /^Last error: +6\ds ago: refused$/m,
      /^ {2}v1 ConfigMap +yes +3 +for 2m$/m,
      /^ {2}\d{4}-\d\d-\d\dT.*Z +Connecting +waiting for the first response$/m,
    ])
      expect(out).toMatch(line);
    expect(await run(['describe', 'eu-9', '--url', url])).toMatchObject({ status: 1, out: '' });
  });

  it('WB-5: merges replicas: the one that serves a cluster knows it best', async () => {
    const owned = (name: string, state: string, owner: string) => cluster(name, { ownership: { state, owner } });
    const other = await replica(() => [owned('a', 'elsewhere', 'one'), owned('b', 'active', 'two')]);
    clusters = [owned('a', 'active', 'one'), owned('b', 'elsewhere', 'two')];
    const { out } = await run(['--url', url, '--url', other, '-o', 'json']);
    const merged = JSON.parse(out) as { clusters: { name: string; ownership: object }[] };
    expect(merged.clusters.map(({ name, ownership }) => [name, ownership])).toEqual([
      ['a', { state: 'active', owner: 'one' }],
      ['b', { state: 'active', owner: 'two' }],
    ]);
  });

  it('WB-5: prints the clusters of the replicas that answer, and fails for the others', async () => {
    const partly = await run(['--url', url, '--url', 'http://127.0.0.1:1', '--no-headers']);
    expect(partly.out.split('\n')).toHaveLength(4);
    expect(partly).toMatchObject({
      status: 1,
      err: expect.stringMatching(
        /^mcr: http:\/\/127\.0\.0\.1:1: .*ECONNREFUSED.*: set --url to the address of a manager, or -n /,
      ),
    });
    expect(await run(['--url', 'http://127.0.0.1:1'])).toMatchObject({ status: 1, out: '' });
  });

  it('WB-5: says what to do about a refusal, and about an address that is not a manager', async () => {
    const answers = new Map<string, string>();
    for (const status of [401, 403, 404, 500])
      answers.set(await serve((_, response) => response.writeHead(status).end('it broke')), String(status));
    answers.set(await serve((_, response) => response.end('<html>')), 'not JSON');
    answers.set(await serve((_, response) => response.end('{"clusters":[{"name":3}]}')), 'clusters.0.name');
    answers.set(await serve(() => undefined), 'no answer within 1 s');
    const expected: Record<string, string> = {
      401: 'status 401: set --token-file',
      403: 'needs the verb get on the nonResourceURL /fleet',
      404: 'is it the address of the metrics',
      500: 'status 500: it broke',
    };
    for (const [address, text] of answers) {
      const { err, status } = await run(['--url', address, '--timeout', '1']);
      expect(err).toContain(expected[text] ?? text);
      expect(status).toBe(1);
    }
  });

  it('WB-5: names the address of an answer that is too slow, too large, too deep or wrong, and prints the others', async () => {
    const status = (...reported: object[]): string => JSON.stringify({ clusters: reported });
    const deep = status(cluster('a', { other: 0 })).replace(
      '"other":0',
      `"other":${'['.repeat(5000)}${']'.repeat(5000)}`,
    );
    const answers: [listener: RequestListener, message: RegExp][] = [
      [(_, response) => void response.write(' '), /no answer within 1 s/],
      [(_, response) => void response.writeHead(503).end('x'.repeat(100_000)), /status 503: xxx/],
      [(_, response) => void response.end(deep), /the response is nested more than 100 levels deep/],
      [
        (_, response) => void response.end(status(cluster('a', { history: [{ phase: 'x', at: 1e300, reason: '' }] }))),
        /not the status of a fleet: clusters\.0\.history\.0\.at/,
      ],
    ];
    for (const [listener, message] of answers) {
      const address = await serve(listener);
      for (const command of [
        ['list', '-o', 'yaml'],
        ['describe', 'eu-1'],
      ]) {
        const { out, err } = await run([...command, '--url', address, '--url', url, '--timeout', '1']);
        expect(err).toMatch(new RegExp(`^mcr: ${address}: ${message.source}`));
        expect(out).toContain('eu-1');
      }
    }
  });

  it('WB-5: an answer cannot print a line that looks like a message of the command', async () => {
    const labels = { 'a\r\nmcr: the fleet is healthy\n\u001B[2J': 1 };
    const address = await serve((_, response) =>
      response.end(JSON.stringify({ clusters: [cluster('a', { labels })] })),
    );
    const { err } = await run(['--url', address]);
    expect(err).toContain('the fleet is healthy');
    expect(err).not.toMatch(/\nmcr|[^\n\P{Cc}]/u);
  });

  it('WB-5: a cluster cannot change the terminal or the table by its texts', async () => {
    clusters = [cluster('a\u001B[2J\nb', { reason: `\u202E${'x'.repeat(5000)}` })];
    for (const format of [[], ['-o', 'wide'], ['-o', 'json'], ['-o', 'yaml']]) {
      const { out } = await run(['--url', url, ...format]);
      expect(out).not.toMatch(/[^\n\P{Cc}]|\p{Cf}/u);
      if (format.length === 0) expect(out.split('\n')).toHaveLength(3);
    }
    expect((await run(['--url', url])).out.length).toBeLessThan(2500);
  });

  it('WB-5: writes YAML that parsers of Go accept: no surrogates', async () => {
    clusters = [cluster('a', { reason: 'tag \u{E0001}, smile \u{1F600}, half \uD83D, text \\ud83d\\ude00' })];
    const { out } = await run(['--url', url, '-o', 'yaml']);
    expect(out).toContain(String.raw`"tag \U000e0001, smile ${'\u{1F600}'}, half ${'\uFFFD'}, text \\ud83d\\ude00"`);
    expect(parse(out)).toMatchObject({
      clusters: [{ reason: 'tag \u{E0001}, smile \u{1F600}, half \uFFFD, text \\ud83d\\ude00' }],
    });
  });

  it('WB-5: reads over TLS with a token', async () => {
    const identity = await createServingIdentity();
    const [caFile, tokenFile] = [join(directory, 'ca.crt'), join(directory, 'token')];
    await writeFile(caFile, identity.caCertificate);
    await writeFile(tokenFile, 'secret\n');
    const answer: RequestListener = (request, response) =>
      response
        .writeHead(request.headers.authorization === 'Bearer secret' ? 200 : 401)
        .end(JSON.stringify({ clusters: [cluster('eu-1')] }));
    const plain = await serve(answer, createSecureServer({ cert: identity.certificate, key: identity.key }));
    const address = plain.replace('http:', 'https:');
    const access = ['--url', address, '--ca-file', caFile];
    expect((await run([...access, '--token-file', tokenFile])).status).toBe(0);
    expect((await run(access)).err).toContain('status 401');
    expect((await run(['--url', address])).err).toMatch(/certificate|self-signed/);
    expect((await run([...access, '--token-file', join(directory, 'none')])).err).toContain('ENOENT');
  });

  it('WB-5: watches clusters, and prints each one when it changes', async () => {
    let [out, err] = ['', ''];
    const stop = new AbortController();
    const output = {
      print: (text: string) => (out += text),
      warn: (text: string) => (err += text),
      signal: stop.signal,
    };
    const watching = runMcr(['fleet', 'watch', '--url', url, '--interval', '1', '-l', 'env=prod'], output);
    await eventually(() => expect(out.match(/\n/g)).toHaveLength(4));
    clusters = [
      cluster('eu-1', { phase: 'Degraded', reason: 'the cluster does not serve kind Cart', objects: 9 }),
      cluster('', { labels: {} }),
    ];
    await eventually(() => expect(out).toMatch(/^eu-2 +Gone /m));
    stop.abort();
    expect(await watching).toBe(0);
    expect(out.split('\n').slice(4)).toEqual([
      // Reported once more, because it is no longer selected.
      expect.stringMatching(/^\(local\) +Engaged /),
      expect.stringMatching(/^eu-1 +Degraded +15m +9 +1 +the cluster does not serve kind Cart$/),
      expect.stringMatching(/^eu-2 +Gone +the manager no longer knows the cluster$/),
      '',
    ]);
    expect(err).toBe('');
  });

  it.each([
    [['--url', 'localhost:8080'], "option '--url <address>' argument 'localhost:8080' is invalid. expected an address"],
    [
      ['-o', 'jsn'],
      "option '-o, --output <format>' argument 'jsn' is invalid. allowed choices are wide, name, json, yaml.\n(Did you mean json?)",
    ],
    [['-l', 'a in'], "option '-l, --selector <selector>' argument 'a in' is invalid."],
    [['--phase', 'unreachabel'], '(Did you mean Unreachable?)'],
    [['--sort-by', 'error'], '(Did you mean errors?)'],
    [['-w', '-o', 'json'], "option '-w, --watch' cannot be used with '-o json': it prints a table"],
    [['-w', '--sort-by', 'name'], "option '-w, --watch' cannot be used with option '--sort-by <column>'"],
    [['list', '--no-headers=true'], "option '--no-headers' takes no value"],
    [['chekc', 'eu-1'], "unknown command 'chekc'\n(Did you mean check?)"],
    [['-n', 'fleet', 'descrbe', 'eu-1'], "unknown command 'descrbe'\n(Did you mean describe?)"],
    [['eu-1'], "unknown command 'eu-1'\n(to print a cluster by its name: mcr fleet list NAME)"],
    [['list', '--namespce', 'a'], '(Did you mean --namespace?)'],
    [['watch', '--interval', '0'], 'expected whole seconds from 1 to 3600'],
    [['describe'], "missing required argument 'cluster'"],
  ])('WB-5: refuses %j', async (args, message) => {
    const { status, err } = await run(args);
    expect(err).toContain(message);
    expect(status).toBe(2);
  });

  it('WB-5: reads a manager', async () => {
    let address = '';
    const note = (message: string, fields: { readonly address?: unknown } = {}): void => {
      if (message === 'server listening') address = String(fields.address);
    };
    const logger: Logger = { debug: note, info: note, warn: note, error: note, child: () => logger };
    const provider = new InMemoryProvider();
    const manager = await createManager({ provider, logger, metrics: { bindAddress: '127.0.0.1:0' } });
    provider.set('eu-1', new InMemoryCluster());
    const end = new AbortController();
    const stopped = manager.start(end.signal);
    try {
      await eventually(async () => {
        expect(address).not.toBe('');
        const { out } = await run(['--url', address, '--no-headers', '-o', 'wide']);
        expect(out).toMatch(/^eu-1 +Engaged /);
      });
      expect((await run(['describe', 'eu-1', '--url', address])).out).toMatch(/^Phase: +Engaged/m);
    } finally {
      end.abort();
      await stopped;
    }
  });
});
