import { type Manifest, readDefinitions, readManifests } from '@mcr/apiserver/manifests';
import { createClient, createRestMapper, createTransport, defineKind } from '@mcr/client';
import type { ControlPlane } from '../control-plane.ts';
import { createEmbeddedApiServer, type EmbeddedApiServer } from '../embedded-api-server.ts';
import { installDefinitions } from '../install/definitions.ts';
import type { UpOptions } from './envtest-program.ts';
import { inOrder } from './in-order.ts';
import type { LiveLine } from './live-line.ts';
import { reserveDirectory, writeKubeconfigs, type WrittenKubeconfigs } from './kubeconfigs.ts';

/** Field manager of the objects of `--load`. */
const MANAGER = 'mcr-envtest';

/** Interval at which the process of the API servers is checked, in milliseconds. */
const CHECK_INTERVAL = 500;

/** Maximum number of clusters that start at a time. One process serves all of them. */
const CONCURRENCY = 8;

export interface UpRun {
  readonly options: UpOptions;
  readonly line: LiveLine;
  /** Called once all clusters are ready. */
  readonly onReady: (files: WrittenKubeconfigs) => void;
  /** Stops the clusters. */
  readonly signal: AbortSignal;
}

/** Starts a hub and members, and serves them until the signal. @throws {Error} if they cannot start, or end. */
export async function up(run: UpRun): Promise<void> {
  const { crds = [], load = [], dir: directory } = run.options;
  const definitions = await named('--crds', () => readDefinitions(crds));
  const objects = await named('--load', () => readManifests(load, '--load'));
  const release = directory === undefined ? undefined : await named('--dir', async () => reserveDirectory(directory));
  try {
    await start({ definitions, objects, ...run });
  } finally {
    release?.();
  }
}

interface Serving extends UpRun {
  readonly definitions: readonly Manifest[];
  readonly objects: readonly Manifest[];
}

async function start(run: Serving): Promise<void> {
  const { options, line, signal } = run;
  line.show('starting the API server');
  const server = await createServer(options);
  try {
    await serve(server, run);
  } catch (error) {
    // A signal to the process group also ends the API servers, whose last answers then fail.
    if (!signal.aborted) throw error;
  } finally {
    await server.stop().catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}

/** @throws {Error} that names the flag instead of the option. */
async function createServer({ dataDir }: UpOptions): Promise<EmbeddedApiServer> {
  if (dataDir === undefined) return createEmbeddedApiServer();
  try {
    return await createEmbeddedApiServer({ dataDir });
  } catch (cause) {
    throw new Error((cause as Error).message.replace(/^dataDir: /, '--data-dir: '), { cause });
  }
}

async function serve(server: EmbeddedApiServer, run: Serving): Promise<void> {
  const { options, line, signal, onReady, definitions, objects } = run;
  const { members, port: hubPort, dir } = options;
  const planes = await inOrder(namesOf(members), { limit: CONCURRENCY, signal }, async (name, index) => {
    line.show(`starting ${name} (${index + 1} of ${members + 1})`);
    const port = hubPort === undefined ? undefined : hubPort + index;
    const plane = await named(name, () => server.createCluster({ name, port }));
    await fill(plane, definitions, objects);
    return plane;
  });
  if (signal.aborted) return;
  const files = await named('--dir', () => writeKubeconfigs(planes, dir));
  line.clear();
  try {
    onReady(files);
    await ended(server, signal);
  } finally {
    await files.remove();
  }
}

function namesOf(members: number): string[] {
  return ['hub', ...Array.from({ length: members }, (_, index) => `member-${index + 1}`)];
}

async function fill(
  plane: ControlPlane,
  definitions: readonly Manifest[],
  objects: readonly Manifest[],
): Promise<void> {
  if (definitions.length === 0 && objects.length === 0) return;
  const isDefinition = ({ object }: Manifest): boolean => object.kind === 'CustomResourceDefinition';
  {
    await using client = createClient(plane.config);
    await named('--crds', () => installDefinitions(client, definitions));
    // Objects of a custom kind may come before its definition.
    await named('--load', () => installDefinitions(client, objects.filter(isDefinition)));
  }
  // A new client discovers the new kinds.
  await using transport = createTransport(plane.config);
  const restMapper = createRestMapper(transport);
  const client = createClient(plane.config, { transport, restMapper });
  await named('--load', async () => {
    for (const { source, object } of objects.filter((manifest) => !isDefinition(manifest))) {
      const kind = defineKind({ apiVersion: object.apiVersion, kind: object.kind });
      try {
        const { scope } = await restMapper.resolve(kind);
        const { metadata } = object;
        // kubectl chooses this namespace, too.
        const place = scope === 'Namespaced' ? { namespace: 'default', ...metadata } : metadata;
        await client.apply(kind, { ...object, metadata: place }, { fieldManager: MANAGER, force: true });
      } catch (cause) {
        throw new Error(`${source}: ${plane.name}: ${(cause as Error).message}`, { cause });
      }
    }
  });
}

/** Adds the flag, or the name of the cluster, to an error. */
async function named<Value>(noun: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(`${noun}: ${message.replace(/^(?:crdPaths|--load): /, '')}`, { cause });
  }
}

/** Resolves after the abort. Keeps this process alive meanwhile. @throws {Error} if the API servers end. */
function ended(server: EmbeddedApiServer, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearInterval(timer);
      resolve();
    };
    const timer = setInterval(() => {
      if (isAlive(server.pid)) return;
      clearInterval(timer);
      signal.removeEventListener('abort', stop);
      reject(new Error('the process of the API servers has ended: start again'));
    }, CHECK_INTERVAL);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
