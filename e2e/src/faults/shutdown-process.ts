import type { ClusterConfig } from '@mcr/core';
import {
  ConfigMap,
  controllerManagedBy,
  createCluster,
  createLogger,
  createManager,
  InMemoryProvider,
  shutdownSignal,
} from '@mcr/core';

/*
 * A controller for tests of its shutdown: copies every ConfigMap of its member with a data key `input` to the hub,
 * slowly, and reports its progress on stdout.
 */

/** Settings, as JSON in the environment variable `SETTINGS`. */
export interface Settings {
  readonly hub: ClusterConfig;
  readonly member: ClusterConfig;
  readonly namespace: string;
  readonly lease: string;
  /** Duration of a reconcile in milliseconds; `null`: endless. */
  readonly work: number | null;
}

/** A line on stdout. */
export type Progress = 'leads' | 'reconciles' | 'reconciled' | 'ends';

const { hub, member, namespace, lease, work } = JSON.parse(process.env['SETTINGS'] ?? '') as Settings;
const report = (progress: Progress) => process.stdout.write(`${progress}\n`);

using shutdown = shutdownSignal();
const provider = new InMemoryProvider();
const manager = await createManager({
  config: hub,
  provider,
  leaderElection: { id: lease, namespace },
  logger: createLogger({ format: 'json' }),
  metrics: { bindAddress: '0' },
});
provider.set('member', createCluster(member, { name: 'member', logger: manager.logger, listSlots: manager.listSlots }));
await controllerManagedBy(manager)
  .for(ConfigMap)
  .complete(async (request, { cluster }) => {
    const { client } = await cluster();
    const { data = {} } = await client.get(ConfigMap, request);
    if (data['input'] === undefined) return;
    report('reconciles');
    // A started reconcile is completed: the hub stays reachable until the last one has returned.
    await new Promise((resolve) => work !== null && setTimeout(resolve, work));
    const { namespace, name } = request;
    await manager.localManager.cluster.client.create(ConfigMap, { metadata: { namespace, name }, data });
    report('reconciled');
  });
shutdown.signal.addEventListener('abort', () => report('ends'));
void manager.elected.then(() => report('leads'));
await manager.start(shutdown.signal);
