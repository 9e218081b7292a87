/**
 * A program for a test: runs a manager until it has engaged the cluster `eu-1` and failed to reach the cluster
 * `refused`, stops it, and prints what the process held before, during and after that. Then it has nothing left to do.
 */
import type { ClusterConfig } from '@mcr/core';
import { ConfigMap, controllerManagedBy, createManager, silentLogger } from '@mcr/core';
import { createKubeconfigProvider } from './kubeconfig-provider.ts';

const config = JSON.parse(process.env['HUB'] ?? '') as ClusterConfig;
const namespace = process.env['NAMESPACE'] ?? '';
/** An immediate is a turn of the event loop that is about to pass: it holds nothing. */
const held = () =>
  process
    .getActiveResourcesInfo()
    .filter((resource) => resource !== 'Immediate')
    .sort();

const before = held();
const manager = await createManager({
  config,
  provider: createKubeconfigProvider({ namespace }),
  logger: silentLogger,
  metrics: { bindAddress: '127.0.0.1:0' },
  health: { bindAddress: '127.0.0.1:0' },
});
await controllerManagedBy(manager)
  .for(ConfigMap)
  .complete(async () => undefined);

const end = new AbortController();
const started = manager.start(end.signal);
const phase = (name: string) => manager.fleet.get(name)?.phase;
for await (const _ of manager.fleet.changes(end.signal)) {
  if (phase('eu-1') === 'Engaged' && phase('refused') === 'Unreachable') break;
}
const during = held();
end.abort();
await started;
// What was closed just now is listed until the system has closed it; on a busy machine that takes some turns.
for (const patience = performance.now() + 5_000; String(held()) !== String(before) && performance.now() < patience;) {
  await new Promise((resolve) => setImmediate(resolve));
}
console.log(JSON.stringify({ before, during, after: held() }));
