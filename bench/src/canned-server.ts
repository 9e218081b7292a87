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
 * An API server without work to do: it serves prepared Pods over TLS and HTTP/2 from a separate process, so that a
 * benchmark measures the client only.
 */
export interface CannedServer extends AsyncDisposable {
  readonly config: ClusterConfig;
}

export interface CannedOptions {
  /** Number of Pods in a list. */
  readonly objects: number;
  /** Number of Pods that a watch adds after the initial ones, all at once. */
  readonly events: number;
  /** How a client gets the initial objects: from a watch (KEP-3157), or from a list in pages. */
  readonly initialObjects: 'watch' | 'pages';
}

/** Resource version of the lists. The events of a watch have later versions. */
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

/** Returns the JSON of the Pod with this index. */
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
    // A reader may close its stream early; this is not an error here.
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

/** Writes at the reader's pace. Leaves the stream open, like a watch. */
async function write(stream: ServerHttp2Stream, buffers: readonly Buffer[]): Promise<void> {
  stream.respond({ ':status': 200, 'content-type': 'application/json' });
  await pipeline(Readable.from(buffers), stream, { end: false });
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  process.on('disconnect', () => process.exit(0));
  await serve(JSON.parse(process.argv[2] ?? '') as CannedOptions);
}
