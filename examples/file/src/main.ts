import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterName } from '@mcr/core';
import { ConfigMap, controllerManagedBy, createManager, createOrUpdate, Namespace, silentLogger } from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import type { Credentials } from '@mcr/envtest';
import { createControlPlaneFleet } from '@mcr/envtest';
import { createFileProvider } from '@mcr/provider-file';
import { kubeconfigOf } from './kubeconfig.ts';

const say = (line: string) => console.log(line);

await using fleet = await createControlPlaneFleet({ members: 3 });
const [eu, us, asia] = fleet.members;
if (!eu || !us || !asia) throw new Error('expected three members');
const directory = await mkdtemp(join(tmpdir(), 'mcr-example-file-'));
const file = join(directory, 'fleet.kubeconfig');
/** Replaces the file atomically, as `kubectl` does, so that a reader never sees a part of it. */
const write = async (contexts: Readonly<Record<string, Credentials>>) => {
  await writeFile(`${file}.new`, kubeconfigOf(contexts));
  await rename(`${file}.new`, file);
};

const manager = await createManager({
  config: fleet.hub.config,
  provider: createFileProvider({ kubeconfigDirs: [directory] }),
  logger: silentLogger,
  metrics: { bindAddress: '0' },
});
// Keeps a ConfigMap with the cluster's name in every cluster.
await controllerManagedBy(manager)
  .named('who-am-i')
  .for(Namespace)
  .complete(async ({ clusterName, name }, { cluster }) => {
    if (name !== 'default') return;
    const { client } = await cluster();
    await createOrUpdate(client, ConfigMap, { namespace: 'default', name: 'who-am-i' }, (configMap) => {
      configMap.data = { name: clusterName };
    });
  });
const nameOf = (context: string): ClusterName => `${file}+${context}`;
const phaseOf = (context: string) => manager.fleet.get(nameOf(context))?.phase;
const reasonOf = (context: string) => manager.fleet.get(nameOf(context))?.reason ?? '';
/** Resolves once the cluster has that ConfigMap. */
const known = (context: string) =>
  eventually(async () => {
    const { client } = await manager.getCluster(nameOf(context));
    const { data } = await client.get(ConfigMap, { namespace: 'default', name: 'who-am-i' });
    return data?.['name'] === nameOf(context);
  });

const end = new AbortController();
const stopped = manager.start(end.signal);
try {
  say('Three clusters run on this machine. The controller does not know them yet.');

  await write({ eu, us });
  await Promise.all([known('eu'), known('us')]);
  say('A kubeconfig with two contexts was written: both clusters were reconciled.');

  await write({ eu, us: await us.issueToken(), asia });
  await known('asia');
  await eventually(() => reasonOf('us') === 'its credentials were rotated in place');
  say('The file got a third context, and new credentials in the second: one cluster joined, and one was rotated.');

  await writeFile(file, kubeconfigOf({ eu, us, asia }).slice(0, 300));
  await eventually(() => reasonOf('eu').includes('keeps its last good configuration'));
  say(`The file was truncated: its clusters stay engaged, and the fleet status shows the error (${phaseOf('eu')}).`);

  await write({ asia });
  await eventually(() => phaseOf('eu') === 'Disengaged' && phaseOf('us') === 'Disengaged');
  say('The file was repaired, with one context: the other two clusters left.');

  await rm(file);
  await eventually(() => phaseOf('asia') === 'Disengaged');
  say('The file was deleted: no cluster is left.');
} finally {
  end.abort();
  await stopped;
  await rm(directory, { recursive: true });
}
