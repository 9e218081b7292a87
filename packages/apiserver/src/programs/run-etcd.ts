import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { createDirectory } from '../create-directory.ts';
import { NAMES } from './etcd-flags.ts';
import { FlagError, type Flags, lastOf, parseFlags } from './flags.ts';

/*
 * The program `etcd`. It answers the health checks of etcd, and hands its directory to the `kube-apiserver` beside it, which
 * stores objects there itself. It has no keys.
 *
 * It imports almost nothing of the server, so that it starts within milliseconds.
 */

const CLAIM_PATH = '/mcr/claim';

/** The envtest of controller-runtime passes --unsafe-no-fsync if the help names it. */
const HELP = `An etcd without keys, for the kube-apiserver of @mcr/apiserver.

Usage:
  etcd [flags]

Flags:
      --data-dir string             directory in which kube-apiserver stores objects
      --listen-client-urls string   URL of the health checks (default http://localhost:2379)
      --unsafe-no-fsync             no effect

The other flags of etcd, such as --listen-peer-urls, are accepted and have no effect.
`;

function fail(message: string): never {
  process.stderr.write(`etcd: ${message}\n`);
  process.exit(1);
}

/** Content of the health checks. (Upstream: `server/etcdserver/api/etcdhttp`.) */
const CONTENTS: Readonly<Record<string, string>> = {
  '/health': '{"health":"true","reason":""}',
  '/livez': 'ok\n',
  '/readyz': 'ok\n',
  '/version': '{"etcdserver":"3.6.5","etcdcluster":"3.6.0","storage":"3.6.0"}',
};

function start(flags: Flags): void {
  const [text = ''] = (lastOf(flags, 'listen-client-urls') ?? 'http://localhost:2379').split(',');
  if (!URL.canParse(text)) fail(`--listen-client-urls: ${JSON.stringify(text)} is not a URL`);
  const { protocol, hostname, port } = new URL(text);
  if (protocol !== 'http:') fail(`--listen-client-urls: ${protocol.slice(0, -1)} is not supported: use http`);
  const directory = resolve(lastOf(flags, 'data-dir') ?? `${lastOf(flags, 'name') ?? 'default'}.etcd`);
  try {
    createDirectory(directory, 0o700);
  } catch (error) {
    fail(`--data-dir: ${(error as Error).message}`);
  }

  let claimed: ServerResponse | undefined;
  const claim = (response: ServerResponse): void => {
    if (claimed) {
      response.writeHead(409).end('another API server uses this directory\n');
      return;
    }
    claimed = response;
    response.on('close', () => (claimed = undefined));
    response.writeHead(200, { 'content-type': 'application/json' }).write(`${JSON.stringify({ directory })}\n`);
  };
  const serve = ({ url = '' }: IncomingMessage, response: ServerResponse): void => {
    const [path = ''] = url.split('?');
    const content = Object.hasOwn(CONTENTS, path) ? CONTENTS[path] : undefined;
    if (path === CLAIM_PATH) claim(response);
    else if (content !== undefined) response.end(content);
    else
      response.writeHead(501).end('this etcd has no keys: it only stores objects for the kube-apiserver beside it\n');
  };
  const server = createServer(serve)
    .on('error', (error) => fail(`--listen-client-urls: ${error.message}`))
    .listen(Number(port === '' ? 80 : port), hostname.replace(/^\[|\]$/g, ''), () => {
      process.stderr.write(`etcd: serving on ${text}, storing in ${directory}\n`);
    });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      server.close(() => process.exit(0));
      server.closeAllConnections();
    });
  }
}

for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

function run(args: readonly string[]): void {
  const flags = parseFlags(args, NAMES);
  if (flags.has('help')) process.stdout.write(HELP);
  else if (flags.has('version')) process.stdout.write('etcd Version: 3.6.5\n');
  else start(flags);
}

try {
  run(process.argv.slice(2).map((argument) => (argument === '-h' ? '--help' : argument)));
} catch (error) {
  if (error instanceof FlagError) fail(error.message);
  throw error;
}
