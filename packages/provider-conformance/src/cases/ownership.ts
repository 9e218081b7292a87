import type { ClusterConfig } from '@mcr/core';
import { isNotOwner } from '@mcr/core';
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
    title: 'makes nothing for a cluster that another process serves, and engages it while this process serves it',
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
      ownership.set(name, 'active');
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
