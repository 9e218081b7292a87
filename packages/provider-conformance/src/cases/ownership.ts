import type { ClusterConfig } from '@mcr/core';
import { ConfigMap, isNotOwner } from '@mcr/core';
import type { CaseDescription } from '../case.ts';
import { failure } from '../expectation.ts';
import { StagedOwnership } from '../staged-ownership.ts';
import type { System } from '../system.ts';
import { expectNothing } from './membership.ts';

const HINT =
  'declare every member with ensure() or sync() of Clusters, which make a cluster only if this process serves it';

/** Clusters of a sharded fleet, which several processes divide among them. */
export const ownershipCases: readonly CaseDescription[] = [
  {
    id: 'SH-9',
    title: 'makes nothing for a cluster that another process serves, and writes to it only while this process owns it',
    async play(stage) {
      const [here, away] = await stage.members('here', 'away');
      const name = stage.clusterName(away);
      const ownership = new StagedOwnership();
      ownership.set(name, 'elsewhere');
      const configured: string[] = [];
      const configure = (config: ClusterConfig): ClusterConfig => {
        configured.push(config.server);
        return config;
      };
      await stage.addAll([here, away]);
      const system = await stage.start(stage.isVirtual ? {} : { configure }, { ownership });
      await stage.untilEngaged(system, [here], HINT);
      await stage.untilRead(system);
      expectNothing(stage.eventsSince(system, 0, [away]), `${name} is not engaged`, HINT);
      expectNothing(
        configured.filter((server) => server === away.config.server && !stage.isVirtual),
        `no configuration of ${name} is made`,
        HINT,
      );
      await expectNotOwner(system, name);

      ownership.set(name, 'warming');
      await stage.untilEngaged(system, [here, away], 'pass `aware` to Clusters together with its ownership');
      await expectWrite(system, name, 'refused');
      ownership.set(name, 'active');
      await expectWrite(system, name, 'sent');
      ownership.set(name, 'draining');
      await stage.untilEngaged(system, [here, away], 'keep a cluster engaged until another process serves it');
      ownership.set(name, 'elsewhere');
      await stage.untilEngaged(system, [here], 'stop a cluster that another process serves');
      await expectNotOwner(system, name);

      await stage.inventory.remove(away.name);
      await stage.untilRead(system);
      ownership.set(name, 'active');
      await stage.untilRead(system);
      await stage.untilEngaged(system, [here], 'forget a removed member, whichever process serves it');
      await stage.stop(system);
      if (ownership.listeners > 0) {
        throw failure(
          { expected: 'no listener is left on the ownership', hint: 'end run() with removeAll() of Clusters' },
          `${ownership.listeners} listeners`,
        );
      }
    },
  },
];

/** Deletes an object that does not exist, so that the write changes nothing. */
async function expectWrite(system: System, name: string, expected: 'refused' | 'sent'): Promise<void> {
  const { client } = await system.getCluster(name);
  const [outcome] = await Promise.allSettled([client.delete(ConfigMap, { namespace: 'default', name: 'absent' })]);
  const isRefused = outcome.status === 'rejected' && isNotOwner(outcome.reason);
  if (isRefused === (expected === 'refused')) return;
  throw failure(
    {
      expected: `a write to ${name} is ${expected}`,
      hint: 'engage clusters of createCluster(), or implement setFence() of Cluster',
    },
    isRefused ? 'it was refused' : 'it was sent',
  );
}

async function expectNotOwner(system: System, name: string): Promise<void> {
  const expectation = {
    expected: `get(${JSON.stringify(name)}) rejects with a NotOwnerError`,
    hint: 'let get() return the result of Clusters.get()',
  };
  const [outcome] = await Promise.allSettled([system.getCluster(name)]);
  if (outcome.status === 'fulfilled') throw failure(expectation, 'it resolved');
  const reason: unknown = outcome.reason;
  if (isNotOwner(reason)) return;
  throw failure(expectation, `it rejected with ${reason instanceof Error ? reason.message : typeof reason}`, reason);
}
