/**
 * A program for a test. Runs a manager until the cluster `eu-1` is engaged and the cluster `refused` is unreachable, stops
 * it, and prints the active resources of the process before, during and after the run. Then it exits by itself.
 */
import type { ClusterConfig } from '@mcr/core';
import { ConfigMap, controllerManagedBy, createManager, silentLogger } from '@mcr/core';
import { createKubeconfigProvider } from './kubeconfig-provider.ts';

const config = JSON.parse(process.env['HUB'] ?? '') as ClusterConfig;
const namespace = process.env['NAMESPACE'] ?? '';
/** Active resources, without immediates: these do not keep the process alive. */
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
// A closed handle is listed until the system has closed it, which may take a few turns of the event loop.
for (const patience = performance.now() + 30_000; String(held()) !== String(before) && performance.now() < patience;) {
  await new Promise((resolve) => setImmediate(resolve));
}
console.log(JSON.stringify({ before, during, after: held() }));
