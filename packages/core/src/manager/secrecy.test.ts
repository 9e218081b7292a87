import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import type { Auth, ClusterConfig, Logger } from '@mcr/client';
import { ConfigMap } from '@mcr/client';
import { controllerManagedBy } from '../controller/builder/builder.ts';
import { createCluster } from '../fleet/cluster/create-cluster.ts';
import { InMemoryProvider } from '../provider/in-memory-provider.ts';
import { createManager } from './create-manager.ts';

/** Matches the canary as plain text and in base64. */
const CANARY = /canary|Y2FuYXJ5|NhbmFye|jYW5hcn/i;

/** A plugin that writes its token to its error output in several forms, and fails. */
const LEAKING = `
  const token = ['can', 'ary-/+"<>"-ca', 'nary'].join('');
  console.log(JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token } }));
  const base64 = ['', 'a', 'ab'].map((before) => Buffer.from(before + token).toString('base64'));
  const ways = [token, 'x' + token + 'y', token + '.', JSON.stringify({ token }), encodeURIComponent(token), ...base64];
  console.error(token + 'x'.repeat(3000), ...ways, token.slice(0, 10));
  process.exit(1);
`;

const ways: readonly [string, Auth][] = [
  ['a token', { type: 'token', token: 'canary-token' }],
  ['a password', { type: 'basic', username: 'me', password: 'canary-password' }],
  [
    'a plugin that fails',
    {
      type: 'exec',
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: ['-e', 'console.error(process.argv.at(-1), process.env.SECRET); process.exit(1)', 'canary-argument'],
      env: { SECRET: 'canary-variable' },
    },
  ],
  [
    'a plugin that writes its token to its error output',
    {
      type: 'exec',
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: ['-e', LEAKING],
    },
  ],
];

const printed = (value: unknown) => `${inspect(value, { depth: Infinity, showHidden: true })} ${JSON.stringify(value)}`;

/** Refuses each request, and quotes it completely in the response. */
function echo({ headers }: IncomingMessage, response: ServerResponse): void {
  const message = JSON.stringify(headers);
  response.writeHead(401, { warning: `299 - ${JSON.stringify(message)}` });
  response.end(JSON.stringify({ kind: 'Status', code: 401, message, reason: message }));
}

let server: Server;
let lines: string[];
let end: AbortController;
beforeEach(async () => {
  server = createServer(echo).listen(0, '127.0.0.1');
  await once(server, 'listening');
  lines = [];
  end = new AbortController();
});
afterEach(async () => {
  end.abort();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const line: Logger['info'] = (message, fields) => void lines.push(message, printed(fields));
const logger: Logger = { debug: line, info: line, warn: line, error: line, child: () => logger };

const configOf = (auth: Auth): ClusterConfig => ({
  server: `http://localhost:${(server.address() as AddressInfo).port}`,
  auth,
});

describe.each(ways)('S-4, S-13: %s', (_, auth) => {
  it('is not shown by a cluster that refuses it', async () => {
    const cluster = createCluster(configOf(auth), { name: 'member', logger });
    const problems: unknown[] = [];
    const run = cluster.run(end.signal);
    const ready = cluster.ready(end.signal, {
      onFailure: (error) => {
        problems.push(error);
        end.abort(new Error('enough'));
      },
    });
    problems.push(await cluster.ping({ signal: end.signal, timeout: 5_000 }).catch((error: unknown) => error));
    problems.push(await ready.catch((error: unknown) => error));
    problems.push(await cluster.rotate({ server: 'http://elsewhere', auth }).catch((error: unknown) => error));
    await run;
    expect(problems.length).toBeGreaterThan(2);
    expect([...lines, ...problems.map(printed), printed(cluster), printed(cluster.config)].join('\n')).not.toMatch(
      CANARY,
    );
  });

  it('is not shown by the logs or the status of a fleet', async () => {
    const provider = new InMemoryProvider();
    const manager = await createManager({
      config: configOf(auth),
      provider,
      logger,
      metrics: { bindAddress: '0' },
    });
    await controllerManagedBy(manager)
      .named('watch')
      .for(ConfigMap)
      .complete(async () => undefined);
    const started = manager.start(end.signal).catch((error: unknown) => lines.push(printed(error)));
    const refused = Promise.withResolvers<void>();
    const watching = (async () => {
      for await (const change of manager.fleet.changes(end.signal)) {
        lines.push(printed(change));
        if (change.lastError !== undefined) refused.resolve();
      }
    })().catch(() => undefined);
    provider.set('member', createCluster(configOf(auth), { name: 'member', logger }));
    await refused.promise;
    lines.push(printed(manager.fleet.list()));
    end.abort();
    await Promise.all([started, watching]);
    expect(lines.join('\n')).not.toMatch(CANARY);
  });
});
