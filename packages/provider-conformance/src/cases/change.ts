import type { IndexExtractor, ConfigMap as ConfigMapObject } from '@mcr/core';
import { ConfigMap, createClient } from '@mcr/core';
import { configsEqual } from '@mcr/core/provider';
import type { CaseDescription } from '../case.ts';
import type { Member } from '../contract.ts';
import { failure } from '../expectation.ts';
import { memberOf } from '../member.ts';
import type { Stage } from '../stage.ts';
import { statusText } from '../stage.ts';
import type { System } from '../system.ts';
import { expectNothing } from './membership.ts';

const COMPARE =
  'let Clusters compare: ensure() or sync() keeps an equal cluster, rotates credentials and replaces endpoints';

/** Changes of existing clusters. */
export const changeCases: readonly CaseDescription[] = [
  {
    id: 'PV-2',
    title: 'indexes every cluster, whether it was added before or after the index was registered',
    async play(stage) {
      const [first, later] = await stage.members('first', 'later');
      await stage.inventory.add(first);
      const system = await stage.start();
      await system.manager.fieldIndexer.indexField(ConfigMap, 'early', byColour);
      await stage.untilEngaged(system, [first], 'engage every member');
      await system.manager.fieldIndexer.indexField(ConfigMap, 'late', '.data.colour');
      await stage.inventory.add(later);
      await stage.untilEngaged(system, [first, later], 'engage every member');
      for (const member of [first, later]) await expectIndexes(stage, system, member);
    },
  },
  {
    id: 'PV-2',
    title: 'engages a cluster again when its record leads to another control plane',
    needs: ['change', 'control planes'],
    async play(stage) {
      const [moves, stays] = await stage.members('moves', 'stays');
      await stage.addAll([moves, stays]);
      const system = await stage.start();
      await stage.untilEngaged(system, [moves, stays], 'engage every member');
      const instant = system.ledger.events.length;
      const moved = await stage.member('moves');
      await stage.inventory.change(moved);
      await stage.untilEngaged(system, [moved, stays], COMPARE);
      expectNothing(stage.eventsSince(system, instant, [stays]), 'an unchanged member is not affected');
    },
  },
  {
    id: 'PV-2',
    title: 'rotates credentials in place',
    needs: ['change', 'control planes'],
    async play(stage) {
      const [rotates, stays] = await stage.members('rotates', 'stays');
      await stage.addAll([rotates, stays]);
      const system = await stage.start();
      await stage.untilEngaged(system, [rotates, stays], 'engage every member');
      const cluster = await system.getCluster(stage.clusterName(rotates));
      const informer = await cluster.cache.informer(ConfigMap);
      const { config } = cluster;
      const instant = system.ledger.events.length;

      const rotated = await stage.withNewCredentials(rotates);
      await stage.inventory.change(rotated);
      await stage.until(
        // Compares configurations, not tokens: a provider may use a plugin that requests the token.
        () => (configsEqual(cluster.config, config) ? 'it still has the previous credentials' : undefined),
        { expected: 'the engaged instance has the new credentials', hint: COMPARE },
      );
      const plane = stage.planeOf(rotates);
      await plane.revokeToken(rotates);
      // A client that is disconnected reconnects with the current credentials.
      await plane.cutConnections();
      await using writer = createClient(rotated.config);
      await writer.create(ConfigMap, { metadata: { namespace: 'default', name: 'after' } });
      await stage.until(
        () =>
          informer.store.get({ namespace: 'default', name: 'after' })
            ? undefined
            : statusText(system, cluster.name ?? ''),
        {
          expected:
            'informers from before the rotation receive objects that were written after the old credentials were revoked',
          hint: COMPARE,
        },
      );
      await stage.untilEngaged(system, [rotated, stays], COMPARE);
      expectNothing(
        stage.eventsSince(system, instant, [rotates, stays]),
        'new credentials neither end an engagement nor begin one',
        COMPARE,
      );
    },
  },
  {
    id: 'PV-2',
    title: 'keeps a cluster whose record is written again unchanged',
    needs: ['change'],
    async play(stage) {
      const members = await stage.members('one', 'two', 'three');
      await stage.addAll(members);
      const system = await stage.start();
      await stage.untilEngaged(system, members, 'engage every member');
      const instant = system.ledger.events.length;
      for (let turn = 0; turn < 10; turn++) await Promise.all(members.map((member) => stage.inventory.change(member)));
      await stage.untilRead(system);
      expectNothing(stage.eventsSince(system, instant, members), 'an unchanged record has no effect', COMPARE);
    },
  },
  {
    id: 'PV-7',
    title: 'sets the name of its provider in cluster.info',
    async play(stage) {
      const [member] = await stage.members('member');
      await stage.inventory.add(member);
      const system = await stage.start();
      await stage.untilEngaged(system, [member], 'engage every member');
      const { info } = await system.getCluster(stage.clusterName(member));
      if (info.provider) return;
      throw failure(
        { expected: 'cluster.info.provider names the provider', hint: 'createCluster(config, { info: { provider } })' },
        'it is missing',
      );
    },
  },
  {
    id: 'PV-7',
    title: 'sets the labels of the record in cluster.info, and updates them without engaging the cluster again',
    needs: ['relabel'],
    async play(stage) {
      const member = await stage.member('member', { colour: 'blue' });
      await stage.inventory.add(member);
      const system = await stage.start();
      await stage.untilEngaged(system, [member], 'engage every member');
      const instant = system.ledger.events.length;
      await untilLabelled(stage, system, member);
      const relabelled = memberOf(member.name, member.config, { colour: 'green' });
      await stage.inventory.relabel(relabelled);
      await untilLabelled(stage, system, relabelled);
      expectNothing(
        stage.eventsSince(system, instant, [member]),
        'new labels neither end an engagement nor begin one',
        'pass a cluster with the new info to ensure() or sync(): Clusters takes only the info from it',
      );
    },
  },
];

const byColour: IndexExtractor<ConfigMapObject> = ({ data }) => [data?.['colour'] ?? 'none'];

async function expectIndexes(stage: Stage, system: System, member: Member): Promise<void> {
  const { client } = await system.getCluster(stage.clusterName(member));
  await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'paint' }, data: { colour: 'blue' } });
  for (const name of ['early', 'late']) {
    await stage.until(
      async () => {
        const { items } = await client.list(ConfigMap, { index: { name, value: 'blue' } });
        return items.length === 1 ? undefined : `it returns ${items.length} of one object`;
      },
      {
        expected: `the index "${name}" works in cluster ${stage.clusterName(member)}`,
        hint: 'let indexField() of the provider call that of Clusters, which also adds indexes to later clusters',
      },
    );
  }
}

async function untilLabelled(stage: Stage, system: System, { name, labels }: Member): Promise<void> {
  await stage.until(
    async () => {
      const {
        info: { labels: actual },
      } = await system.getCluster(stage.clusterName({ name }));
      const wrong = Object.entries(labels).some(([key, value]) => actual[key] !== value);
      return wrong ? JSON.stringify(actual) : undefined;
    },
    {
      expected: `cluster.info.labels has ${JSON.stringify(labels)}`,
      hint: 'createCluster(config, { info: { labels } }) with the labels of the record, each time that it is read',
    },
  );
}
