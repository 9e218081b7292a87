import { isClusterNotFound } from '@mcr/core';
import type { CaseDescription } from '../case.ts';
import { failure } from '../expectation.ts';
import type { System } from '../system.ts';

/** Clusters that are added and removed. */
export const membershipCases: readonly CaseDescription[] = [
  {
    id: 'PV-2',
    title: 'engages the clusters that exist when it starts, and those that are added later',
    async play(stage) {
      const [first, second, later] = await stage.members('first', 'second', 'later');
      await stage.addAll([first, second]);
      const system = await stage.start();
      await stage.untilEngaged(system, [first, second], 'read the whole inventory at the start of run()');
      await stage.inventory.add(later);
      await stage.untilEngaged(
        system,
        [first, second, later],
        'watch the inventory, or poll it, for as long as run() lasts',
      );
    },
  },
  {
    id: 'PV-2',
    title: 'disengages a cluster that is removed, and engages it again when it is added again',
    async play(stage) {
      const [stays, goes] = await stage.members('stays', 'goes');
      await stage.addAll([stays, goes]);
      const system = await stage.start();
      await stage.untilEngaged(system, [stays, goes], 'engage every member');
      const staying = await system.getCluster(stage.clusterName(stays));
      await stage.inventory.remove(goes.name);
      await stage.untilEngaged(system, [stays], 'call remove() of Clusters, or sync() without the member');
      await stage.until(
        () => (system.status(stage.clusterName(goes))?.phase === 'Disengaged' ? undefined : 'it does not'),
        {
          expected: 'the fleet status shows the removed member as Disengaged',
          hint: 'abort the signal of its engagement',
        },
      );
      await stage.inventory.add(goes);
      await stage.untilEngaged(system, [stays, goes], 'discard the state of a removed member');
      if ((await system.getCluster(stage.clusterName(stays))) !== staying) {
        throw failure(
          { expected: 'the other member stays engaged all the time', hint: 'process each member by itself' },
          'another instance is engaged for it',
        );
      }
    },
  },
  {
    id: 'PV-3',
    title: 'disengages every cluster when the inventory becomes empty, and engages those that are added afterwards',
    async play(stage) {
      const [one, two, later] = await stage.members('one', 'two', 'later');
      await stage.addAll([one, two]);
      const system = await stage.start();
      await stage.untilEngaged(system, [one, two], 'engage every member');
      await Promise.all([one, two].map(({ name }) => stage.inventory.remove(name)));
      await stage.untilEngaged(
        system,
        [],
        'an inventory that can be read and is empty is not an outage: only an error keeps the fleet',
      );
      await stage.addAll([one, later]);
      await stage.untilEngaged(system, [one, later], 'keep reading an inventory after it was empty');
    },
  },
  {
    id: 'PV-2',
    title: 'get() returns only engaged clusters, and rejects with a ClusterNotFoundError for every other name',
    async play(stage) {
      const [known, leaves] = await stage.members('known', 'leaves');
      await stage.addAll([known, leaves]);
      const system = await stage.start();
      await stage.untilEngaged(system, [known, leaves], 'engage every member');
      await expectUnknown(system, 'nobody');
      await stage.inventory.remove(leaves.name);
      await stage.untilEngaged(system, [known], 'disengage the removed member');
      await expectUnknown(system, stage.clusterName(leaves));
      const name = stage.clusterName(known);
      const engaged = system.ledger.live.find((engagement) => engagement.name === name)?.cluster;
      if ((await system.getCluster(name)) !== engaged) {
        throw failure(
          {
            expected: 'get() resolves with the engaged instance',
            hint: 'let get() return the result of Clusters.get()',
          },
          'it is another instance',
        );
      }
    },
  },
  {
    id: 'PV-2',
    title: 'applies many concurrent changes',
    async play(stage) {
      const names = Array.from({ length: 12 }, (_, index) => `member-${index}`);
      const members = await stage.members(...names);
      const [before, after] = [members.slice(0, 6), members.slice(6)];
      await stage.addAll(before);
      const system = await stage.start();
      const leaving = before.slice(0, 3);
      await Promise.all([
        ...leaving.map(({ name }) => stage.inventory.remove(name)),
        ...after.map((member) => stage.inventory.add(member)),
        ...names.map((name) => system.getCluster(name).catch(() => undefined)),
      ]);
      await stage.untilEngaged(
        system,
        [...before.slice(3), ...after],
        'reach the latest state of the inventory, in whatever order changes are noticed',
      );
    },
  },
  {
    id: 'PV-2',
    title: 'reaches the state of the inventory, with one engagement, when a cluster is removed and added many times',
    async play(stage) {
      const [flaps, stays] = await stage.members('flaps', 'stays');
      await stage.addAll([flaps, stays]);
      const system = await stage.start();
      await stage.untilEngaged(system, [flaps, stays], 'engage every member');
      const instant = system.ledger.events.length;
      for (let turn = 0; turn < 10; turn++) {
        await stage.inventory.remove(flaps.name);
        await stage.inventory.add(flaps);
      }
      await stage.untilRead(system);
      await stage.untilEngaged(system, [flaps, stays], 'the latest state of the inventory decides');
      expectNothing(stage.eventsSince(system, instant, [stays]), 'the other member is not affected');
      await stage.inventory.remove(flaps.name);
      await stage.untilEngaged(system, [stays], 'the latest state of the inventory decides');
    },
  },
  {
    id: 'PV-3',
    title: 'disengages a cluster that is no longer ready, and engages it when it is ready again',
    needs: ['unready', 'ready'],
    async play(stage) {
      const [stays, turns] = await stage.members('stays', 'turns');
      await stage.addAll([stays, turns]);
      const system = await stage.start();
      await stage.untilEngaged(system, [stays, turns], 'engage every member that is ready');
      await stage.inventory.unready(turns.name);
      await stage.untilEngaged(system, [stays], 'check the readiness of a member when its record changes');
      await stage.inventory.ready(turns.name);
      await stage.untilEngaged(
        system,
        [stays, turns],
        'a member that was not ready is treated like any other once it is ready',
      );
    },
  },
];

/** @throws {Error} if there were events. */
export function expectNothing(
  events: readonly string[],
  expected: string,
  hint = 'compare with the engaged clusters',
): void {
  if (events.length > 0) throw failure({ expected, hint }, events.join(', '));
}

async function expectUnknown(system: System, name: string): Promise<void> {
  const expectation = {
    expected: `get(${JSON.stringify(name)}) rejects with a ClusterNotFoundError`,
    hint: 'let get() return the result of Clusters.get(), or throw new ClusterNotFoundError(name) of @mcr/core',
  };
  const [outcome] = await Promise.allSettled([system.getCluster(name)]);
  if (outcome.status === 'fulfilled') throw failure(expectation, 'it resolved');
  const reason: unknown = outcome.reason;
  if (isClusterNotFound(reason)) return;
  throw failure(expectation, `it rejected with ${reason instanceof Error ? reason.message : typeof reason}`, reason);
}
