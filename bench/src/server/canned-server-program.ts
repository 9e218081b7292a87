import { once } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { ClusterConfig } from '@mcr/core';
import { createServingIdentity } from '@mcr/envtest';
import { serveCommands } from '../program.ts';
import { shuffled } from '../samples/random.ts';
import type { SampleName } from '../samples/sample.ts';
import { samples } from '../samples/sample.ts';
import { Collection } from './collection.ts';
import { FIRST_VERSION, ObjectShelf } from './object-shelf.ts';

/** Below this path, watches that begin with all objects (KEP-3157) are refused, so that clients list in pages. */
const PAGES = '/pages';

const shelf = new ObjectShelf();
/** Collections by plural. */
const collections = new Map<string, Collection>();
/** The collection of each object on the shelf. */
const owners: Collection[] = [];
let version = FIRST_VERSION;
/** Number of rounds of updates so far. */
let rounds = 0;

const commands = {
  /** Serves the first `objects` objects of a sample. */
  async serve(sample: SampleName, objects: number) {
    const kinds = samples[sample];
    const indexes = kinds.map((): number[] => []);
    for (let index = 0; index < objects; index++) {
      const position = index % kinds.length;
      indexes[position]?.push(index);
      shelf.add(kinds[position]?.json(index, version++) ?? '');
    }
    for (const [position, { kind }] of kinds.entries()) {
      const collection = new Collection(kind, shelf, indexes[position] ?? []);
      for (const index of indexes[position] ?? []) owners[index] = collection;
      collections.set(kind.plural ?? '', collection);
    }
    const config = await listen();
    return { config, paged: { ...config, server: config.server + PAGES }, bytes: shelf.bytes };
  },

  /**
   * Sends `count` updates to the watches of all kinds, objects in random order, each one once before any comes again.
   *
   * @returns the number of sent bytes.
   */
  async update(count: number): Promise<number> {
    const all = [...collections.values()];
    for (const collection of all) await collection.untilWatched();
    const sentBytes = () => all.reduce((sum, collection) => sum + collection.sentBytes, 0);
    const before = sentBytes();
    for (let left = count; left > 0; left -= shelf.length) {
      for (const index of shuffled(shelf.length, rounds++).subarray(0, left)) {
        shelf.setVersion(index, version++);
        await owners[index]?.update(index);
      }
    }
    for (const collection of all) await collection.flush();
    return sentBytes() - before;
  },

  /** Makes the client of each watch list again. Resolves when it watches again. */
  async relist(): Promise<void> {
    for (const collection of collections.values()) await collection.expire();
    for (const collection of collections.values()) await collection.untilWatched();
  },
};

/** Commands of the canned server. */
export type CannedServerCommands = typeof commands;

async function listen(): Promise<ClusterConfig> {
  const identity = await createServingIdentity();
  const server = createSecureServer({ cert: identity.certificate, key: identity.key });
  server.on('stream', (stream, headers) => {
    // A reader may close its stream early; this is not an error here.
    stream.on('error', () => undefined);
    answer(stream, new URL(String(headers[':path']), 'https://localhost')).catch(() => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { server: `https://127.0.0.1:${port}`, tls: { caData: identity.caCertificate } };
}

async function answer(stream: ServerHttp2Stream, { pathname, searchParams: query }: URL): Promise<void> {
  const collection = collections.get(pathname.slice(pathname.lastIndexOf('/') + 1));
  const initial = query.get('sendInitialEvents') === 'true';
  if (pathname.endsWith('/version')) respond(stream, 200, '{"major":"1","minor":"35","gitVersion":"v1.35.0"}');
  else if (!collection) respond(stream, 404, refusal(404, 'NotFound', 'the server could not find the resource'));
  else if (initial && pathname.startsWith(PAGES))
    respond(stream, 422, refusal(422, 'Invalid', 'sendInitialEvents is forbidden for watch'));
  else if (['true', '1'].includes(query.get('watch') ?? '')) {
    stream.respond({ ':status': 200, 'content-type': 'application/json' });
    await collection.watch(stream, { version, initial });
  } else respond(stream, 200, collection.page(query, version));
}

function respond(stream: ServerHttp2Stream, status: number, body: string | Buffer): void {
  stream.respond({ ':status': status, 'content-type': 'application/json' });
  stream.end(body);
}

function refusal(code: number, reason: string, message: string): string {
  return JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason, code });
}

serveCommands(commands);
