import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { ConfigMap, createClient, Namespace, Secret } from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import { createControlPlaneFleet } from '@mcr/envtest';
import type { Report } from './replica.ts';
import { OwnerTable } from './owner-table.ts';

const directory = await mkdtemp(join(tmpdir(), 'mcr-sharded-'));
await using fleet = await createControlPlaneFleet({ members: 9 });
await using hub = createClient(fleet.hub.config);
const kubeconfig = join(directory, 'hub.kubeconfig');
await writeFile(kubeconfig, fleet.hub.kubeconfig, { mode: 0o600 });

await hub.create(Namespace, { metadata: { name: 'fleet' } });
for (const member of fleet.members) {
  await hub.create(Secret, {
    metadata: {
      namespace: 'fleet',
      name: member.name,
      labels: { 'sigs.k8s.io/multicluster-runtime-kubeconfig': 'true' },
    },
    stringData: { kubeconfig: member.kubeconfig },
  });
  await using client = createClient(member.config);
  await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'greeting' } });
}

const table = new OwnerTable(
  fleet.members.map(({ name }) => name),
  { stream: process.stdout },
);
const replicas = new Map<string, ChildProcess>();

/** Starts a replica, as a Deployment would. */
function start(name: string): void {
  const replica = fork(join(import.meta.dirname, 'replica.ts'), [kubeconfig, name], { stdio: 'inherit' });
  replica.on('message', (report) => table.report(name, report as Report));
  replica.on('exit', () => {
    replicas.delete(name);
    table.gone(name);
  });
  replicas.set(name, replica);
}

/** Resolves once each member is owned by one of the replicas, and each of them owns at least one. */
const dividedAmong = (...names: string[]) =>
  eventually(
    () => {
      const owners = table.owners();
      return (
        owners.every((owner) => owner !== undefined && names.includes(owner)) &&
        names.every((name) => owners.includes(name))
      );
    },
    { deadline: 120_000 },
  );

try {
  table.say('One replica starts.');
  start('replica-a');
  await dividedAmong('replica-a');
  table.say('It owns all nine members. Two more replicas join.');
  start('replica-b');
  start('replica-c');
  await dividedAmong('replica-a', 'replica-b', 'replica-c');
  table.say('The members are divided. Now replica-b is killed.');
  replicas.get('replica-b')?.kill('SIGKILL');
  await dividedAmong('replica-a', 'replica-c');
  table.say('The others own its members. Now replica-a is stopped.');
  const stopping = replicas.get('replica-a');
  stopping?.kill('SIGTERM');
  if (stopping) await once(stopping, 'exit');
  await dividedAmong('replica-c');
  table.say('It gave its members away before it ended: replica-c owns all nine.');
} finally {
  for (const replica of replicas.values()) {
    replica.kill('SIGKILL');
    await once(replica, 'exit');
  }
  table.close();
  await rm(directory, { recursive: true, force: true });
}
