import { format, inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import type { Auth, ClusterConfig } from '../config/cluster-config.ts';
import { printable } from '../config/redaction.ts';
import { isKubeconfigError } from '../config/kubeconfig-error.ts';
import { parseKubeconfig } from '../config/kubeconfig.ts';
import { createClient } from '../client/create-client.ts';
import { serverVersion } from '../client/server-version.ts';
import { Secret } from '../kinds/builtin.ts';
import type { Logger } from '../log/logger.ts';
import { createTransport } from '../transport/create-transport.ts';
import { startTcpServer, type Handler } from '../transport/server.fixture.ts';
import { transportFixture } from '../transport/transport.fixture.ts';

const { startServer, owned, authority } = transportFixture();

/** Matches the canary in plain text and in base64. */
const CANARY = /canary|Y2FuYXJ5|NhbmFye|jYW5hcn/i;
const API_VERSION = 'client.authentication.k8s.io/v1';

const exec = (program: string): Auth => ({
  type: 'exec',
  apiVersion: API_VERSION,
  command: process.execPath,
  args: ['-e', program, 'canary-argument'],
  env: { SECRET: 'canary-variable' },
});

const answer = `{ apiVersion: '${API_VERSION}', kind: 'ExecCredential', status: { token: 'canary-token' } }`;

const auths: readonly [string, Auth | undefined][] = [
  ['a token', { type: 'token', token: 'canary-token' }],
  ['a token that is not a valid header', { type: 'token', token: 'canary\ntoken' }],
  ['a password', { type: 'basic', username: 'me', password: 'canary-password' }],
  ['a plugin', exec(`console.log(JSON.stringify(${answer}))`)],
  [
    'a plugin that fails',
    exec(`console.error(process.argv.at(-1), process.env.SECRET); console.log('canary-output'); process.exit(1)`),
  ],
  ['a plugin that is not found', { ...(exec('') as Extract<Auth, { type: 'exec' }>), command: '/none' }],
  ['an auth-provider', { type: 'authProvider', name: 'oidc', config: { 'id-token': 'canary-token' } }],
  [
    'an auth-provider that fails',
    {
      type: 'authProvider',
      name: 'gcp',
      config: { 'cmd-path': 'sh', 'cmd-args': '-c "canary-argument >&2; exit 1" 2>/dev/null' },
    },
  ],
  ['headers', { type: 'custom', headers: () => Promise.resolve({ 'X-Token': 'canary-token' }) }],
];

/** Quotes all headers of a request. */
const echoing =
  (status: number): Handler =>
  (request, response) => {
    const quoted = JSON.stringify(request.headers);
    response.writeHead(status, { warning: `299 - ${JSON.stringify(quoted)}`, location: '/canary' });
    response.end(JSON.stringify({ kind: 'Status', code: status, message: quoted, reason: quoted }));
  };

/** Returns a value in every form in which it may be printed. */
const printed = (value: unknown) =>
  [
    inspect(value, { depth: Infinity, showHidden: true, getters: true }),
    format('%s %j %o', value, value, value),
    JSON.stringify(value),
    value instanceof Error ? `${value.stack} ${printedCause(value)}` : '',
  ].join('\n');

const printedCause = ({ cause }: Error): string => (cause === undefined ? '' : inspect(cause, { depth: Infinity }));

function recordingLogger(lines: string[]): Logger {
  const line = (message: string, fields?: object) => void lines.push(message, printed(fields));
  const logger: Logger = { debug: line, info: line, warn: line, error: line, child: () => logger };
  return logger;
}

describe.each(auths)('S-4: %s is shown nowhere', (_, auth) => {
  /** Calls the server on `port` in many ways, and returns all logs, errors and printed objects. */
  async function outputOf(port: number, tls: ClusterConfig['tls'] = { caData: authority().cert }): Promise<string> {
    const lines: string[] = [];
    const logger = recordingLogger(lines);
    const config = printable({
      server: `https://localhost:${port}`,
      tls,
      ...(auth && { auth }),
      requestTimeout: 700,
    });
    const transport = owned(createTransport(config, { logger, random: () => 0 }));
    const client = createClient(config, { transport, logger });
    const { signal } = new AbortController();
    const watch = async () => {
      for await (const event of client.watch(Secret, { signal })) lines.push(printed(event));
    };
    const outcomes = await Promise.allSettled([
      client.get(Secret, { namespace: 'a', name: 'b' }),
      client.create(Secret, { metadata: { namespace: 'a', name: 'b' } }),
      watch(),
      serverVersion(transport).then((version) => lines.push(printed(version))),
      transport.rotate({ ...config, server: 'https://elsewhere' }),
      transport.rotate({ ...config, userAgent: 'other' }),
      client.get(Secret, { namespace: 'a', name: 'b' }),
    ]);
    // Returned objects are not checked: the caller asked for them.
    const failures = outcomes.map((outcome) => (outcome.status === 'rejected' ? printed(outcome.reason) : ''));
    return [...lines, ...failures, printed(config), printed(client), printed(transport)].join('\n');
  }

  it.each([401, 403, 500, 302])('when the server quotes the request and returns %d', async (status) => {
    const server = await startServer(echoing(status));
    expect(await outputOf(server.port)).not.toMatch(CANARY);
  });

  it('when there is no server', async () => {
    expect(await outputOf(1)).not.toMatch(CANARY);
  });

  it('when TLS fails', async () => {
    const server = await startServer(echoing(200));
    expect(await outputOf(server.port, {})).not.toMatch(CANARY);
    const plain = owned(await startTcpServer((socket) => socket.end('HTTP/1.1 400 canary\r\n\r\n')));
    expect(await outputOf(plain.port)).not.toMatch(CANARY);
  });

  it('when the server quotes the request in an ERROR event, its version, or the location of a redirect', async () => {
    const server = await startServer((request, response) => {
      const { authorization = '', 'x-token': token } = request.headers;
      const quoted = String(token ?? authorization.split(' ')[1]);
      const watched = {
        type: 'ERROR',
        object: { kind: 'Status', code: 410, reason: quoted, message: `got ${quoted}` },
      };
      if (request.url.includes('watch')) response.end(JSON.stringify(watched));
      else if (request.url === '/version') {
        response.end(JSON.stringify({ major: '1', minor: '33', gitVersion: `v1.33.0-${quoted}` }));
      } else {
        response.writeHead(307, { location: `https://${quoted}.example.com/` });
        response.end();
      }
    });
    expect(await outputOf(server.port)).not.toMatch(CANARY);
  });

  it('when a watch sends a line that is not an event', async () => {
    const server = await startServer((request, response) => response.end(JSON.stringify(request.headers)));
    expect(await outputOf(server.port)).not.toMatch(CANARY);
  });
});

it('S-4: a password that a server decodes and quotes in escaped JSON is not shown', async () => {
  const server = await startServer(({ headers: { authorization = '' } }, response) => {
    const account = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();
    response.writeHead(403, { warning: `299 - ${JSON.stringify(account)}` });
    const status = JSON.stringify({ kind: 'Status', message: `who is ${account}?` });
    // Escapes JSON like Go.
    response.end(status.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e'));
  });
  const lines: string[] = [];
  const config: ClusterConfig = {
    server: `https://localhost:${server.port}`,
    tls: { caData: authority().cert },
    auth: { type: 'basic', username: 'me', password: 'a "<canary>" \\' },
  };
  const transport = owned(createTransport(config));
  const client = createClient(config, { transport, logger: recordingLogger(lines) });
  const error: unknown = await client.list(Secret).catch((reason: unknown) => reason);
  expect(String(error)).toContain('who is [redacted]?');
  expect(lines.join()).toContain('[redacted]');
  expect(lines.join() + printed(error)).not.toMatch(CANARY);
});

describe('S-4: the error for an invalid kubeconfig', () => {
  const canary = Buffer.from('canary').toString('base64');
  it.each([
    'canary',
    'users: [canary',
    'users: canary',
    'users: [{ name: u, user: { token: [canary] } }]',
    `users: [{ name: u, user: { client-key-data: ${canary}, client-certificate-data: ${canary} } }]`,
    'users: [{ name: u, user: { token: canary, username: canary, password: canary } }]',
    `users: [{ name: u, user: { exec: { apiVersion: canary, command: x, args: [canary] } } }]`,
    'users: [{ name: u, user: { auth-provider: { name: gcp, config: { password: canary } } } }]',
    'clusters: [{ name: k, cluster: { server: "https://me:canary@h" } }]',
    'clusters: [{ name: k, cluster: { server: "https://h", proxy-url: "ftp://me:canary@h" } }]',
  ])('contains no credential: %j', (text) => {
    const rest = [
      'current-context: c',
      'contexts: [{ name: c, context: { cluster: k, user: u } }]',
      ...(text.startsWith('clusters') ? [] : ['clusters: [{ name: k, cluster: { server: "https://h" } }]']),
      ...(text.startsWith('users') ? [] : ['users: [{ name: u }]']),
    ];
    for (const policy of ['trusted', 'untrusted'] as const) {
      let error: unknown;
      try {
        parseKubeconfig([...rest, text].join('\n'), { policy });
      } catch (reason) {
        error = reason;
      }
      if (error === undefined) continue;
      expect(isKubeconfigError(error)).toBe(true);
      expect(printed(error)).not.toMatch(CANARY);
    }
  });
});
