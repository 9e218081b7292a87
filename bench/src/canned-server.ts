import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import type { ClusterConfig } from '@mcr/core';
import { createServingIdentity } from '@mcr/envtest';
import { samplePod } from './sample-pod.ts';

/**
 * An API server that has nothing to do: it serves Pods from bytes made beforehand, over TLS and HTTP/2, from a process
 * of its own, so that a benchmark of the client measures the client.
 */
export interface CannedServer extends AsyncDisposable {
  readonly config: ClusterConfig;
}

export interface CannedOptions {
  /** How many Pods a list holds. */
  readonly objects: number;
  /** How many Pods a watch then adds, all at once. */
  readonly events: number;
  /** Whether the initial objects can be watched (KEP-3157), or have to be listed page by page. */
  readonly initialObjects: 'watch' | 'pages';
}

/** Resource version of the lists; the watch's events follow it. */
const LISTED = 1_000_000;
const CHUNK = 1 << 20;

const WATCH_LIST_REFUSED = JSON.stringify({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  message: 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
  reason: 'Invalid',
  code: 422,
});

export async function startCannedServer(options: CannedOptions): Promise<CannedServer> {
  const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(options)], {
    execArgv: ['--conditions=@mcr/source', '--disable-warning=ExperimentalWarning'],
  });
  const [config] = (await once(child, 'message', { signal: AbortSignal.timeout(60_000) })) as [ClusterConfig];
  return { config, [Symbol.asyncDispose]: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.disconnect();
  await exited;
}

/** `object` of index `index` as it is on the wire. */
export function podJson(index: number, resourceVersion: number): string {
  const pod = samplePod(index);
  const metadata = {
    ...pod.metadata,
    uid: `6f1f3c5e-0000-4000-8000-${String(index).padStart(12, '0')}`,
    resourceVersion: String(resourceVersion),
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
  return JSON.stringify({ ...pod, metadata });
}

async function serve({ objects, events, initialObjects }: CannedOptions): Promise<void> {
  const initial = Array.from({ length: objects }, (_, index) => podJson(index, index + 1));
  const streamed = chunks([
    ...initial.map((json) => `{"type":"ADDED","object":${json}}\n`),
    `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"${LISTED}","annotations":{"k8s.io/initial-events-end":"true"}}}}\n`,
  ]);
  const added = chunks(
    Array.from({ length: events }, (_, index) => {
      return `{"type":"ADDED","object":${podJson(objects + index, LISTED + index + 1)}}\n`;
    }),
  );

  const answer = async (stream: ServerHttp2Stream, path: string) => {
    const query = new URL(path, 'https://localhost').searchParams;
    const isWatch = ['true', '1'].includes(query.get('watch') ?? '');
    const isWatchList = query.get('sendInitialEvents') === 'true';
    if (isWatchList && initialObjects === 'pages') respond(stream, 422, WATCH_LIST_REFUSED);
    else if (isWatch) await write(stream, isWatchList ? [...streamed, ...added] : added);
    else respond(stream, 200, page(query));
  };
  const pages = new Map<string, Buffer>();
  const page = (query: URLSearchParams) => {
    const made = pages.get(query.toString()) ?? Buffer.from(makePage(query));
    pages.set(query.toString(), made);
    return made;
  };
  const makePage = (query: URLSearchParams) => {
    const start = Number(query.get('continue') ?? 0);
    const end = Math.min(start + Number(query.get('limit') ?? objects), objects);
    const more = end < objects && { continue: String(end), remainingItemCount: objects - end };
    const metadata = JSON.stringify({ resourceVersion: String(LISTED), ...more });
    return `{"kind":"PodList","apiVersion":"v1","metadata":${metadata},"items":[${initial.slice(start, end).join(',')}]}`;
  };

  const identity = await createServingIdentity();
  const server = createSecureServer({ cert: identity.certificate, key: identity.key });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    // A reader that has seen enough leaves; that is no error here.
    answer(stream, String(headers[':path'])).catch(() => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  process.send?.({
    server: `https://127.0.0.1:${port}`,
    tls: { caData: identity.caCertificate },
  } satisfies ClusterConfig);
}

function chunks(lines: readonly string[]): Buffer[] {
  const all = Buffer.from(lines.join(''));
  return Array.from({ length: Math.ceil(all.length / CHUNK) }, (_, index) => {
    return all.subarray(index * CHUNK, (index + 1) * CHUNK);
  });
}

function respond(stream: ServerHttp2Stream, status: number, body: string | Buffer): void {
  stream.respond({ ':status': status, 'content-type': 'application/json' });
  stream.end(body);
}

/** Writes at the reader's pace, and leaves the stream open, as a watch is. */
async function write(stream: ServerHttp2Stream, buffers: readonly Buffer[]): Promise<void> {
  stream.respond({ ':status': 200, 'content-type': 'application/json' });
  await pipeline(Readable.from(buffers), stream, { end: false });
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  process.on('disconnect', () => process.exit(0));
  await serve(JSON.parse(process.argv[2] ?? '') as CannedOptions);
}
