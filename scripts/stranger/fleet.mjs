// Runs a hub and a member, writes the hub's kubeconfig to the file in its argument, and exits when its input closes.
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { ConfigMap, createClient, Namespace, Secret } from '@mcr/core';
import { createControlPlaneFleet } from '@mcr/envtest';

const [file] = process.argv.slice(2);
const fleet = await createControlPlaneFleet({ members: 1 });
const hub = createClient(fleet.hub.config);
await hub.create(Namespace, { metadata: { name: 'fleet' } });
for (const { name, kubeconfig, config } of fleet.members) {
  const labels = { 'sigs.k8s.io/multicluster-runtime-kubeconfig': 'true' };
  await hub.create(Secret, { metadata: { namespace: 'fleet', name, labels }, stringData: { kubeconfig } });
  const member = createClient(config);
  await member.create(ConfigMap, { metadata: { namespace: 'default', name: 'settings' } });
  await member[Symbol.asyncDispose]();
}
await hub[Symbol.asyncDispose]();
writeFileSync(file, fleet.hub.kubeconfig, { mode: 0o600 });
console.log('ready');
process.stdin.resume().once('end', () => void fleet.stop());
