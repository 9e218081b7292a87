import { createClient } from '../client/create-client.ts';
import { serverVersion } from '../client/server-version.ts';
import { defineKind } from '../kinds/kind.ts';
import { createTransport } from '../transport/create-transport.ts';
import type { Transport } from '../transport/transport.ts';

/*
 * Runs as a separate process with a small heap: sends a request to each path in its arguments, and prints the results.
 * argv: the port, the certificate of the certificate authority, the paths.
 */

/** The result of one request. */
export interface Outcome {
  readonly path: string;
  readonly message: string;
  /** Longest time that the thread computed without serving its event loop, in milliseconds of processor time. */
  readonly stall: number;
}

const [port = '', caData = '', ...paths] = process.argv.slice(2);
const config = { server: `https://localhost:${port}`, tls: { caData } };

/** Returns a transport that sends every request to `path` instead of its own path. */
function aimedAt(path: string): Transport {
  const transport = createTransport(config);
  return Object.assign(Object.create(transport) as Transport, {
    send: (request: Parameters<Transport['send']>[0]) => transport.send({ ...request, path }),
    close: () => transport.close(),
  });
}

const ConfigMap = defineKind({ apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps', scope: 'Namespaced' });
const Unknown = defineKind({ apiVersion: 'example.com/v1', kind: 'Unknown' });
const Core = defineKind({ apiVersion: 'v1', kind: 'Unknown' });

async function request(path: string, transport: Transport): Promise<unknown> {
  if (path === '/version') return serverVersion(transport);
  const client = createClient(config, { transport });
  const key = { namespace: 'default', name: 'a' };
  if (path === '/api') return client.get(Core, key);
  if (path === '/apis') return client.get(Unknown, key);
  if (path.startsWith('/list')) return client.list(ConfigMap);
  if (!path.startsWith('/watch')) return client.get(ConfigMap, key);
  for await (const event of client.watch(ConfigMap, { resourceVersion: '1', signal: AbortSignal.timeout(60_000) }))
    return event;
  return undefined;
}

/** Measures {@link Outcome.stall}. Time that other processes take does not count. */
function watchStalls(): { stop(): number } {
  let before = process.threadCpuUsage();
  let longest = 0;
  const observe = () => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.threadCpuUsage();
  };
  const timer = setInterval(observe, 5);
  return {
    stop() {
      observe();
      clearInterval(timer);
      return Math.round(longest);
    },
  };
}

for (const path of paths) {
  const transport = aimedAt(path);
  const stalls = watchStalls();
  const message = await request(path, transport).then(
    () => 'succeeded',
    (error: unknown) => String(error),
  );
  await new Promise((resolve) => setTimeout(resolve, 20));
  const stall = stalls.stop();
  await transport.close();
  const outcome: Outcome = { path, message, stall };
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
}
