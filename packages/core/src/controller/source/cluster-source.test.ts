import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigMap } from '@mcr/client';
import type { ClusterEvent } from '../event/cluster-event.ts';
import { FakeMember } from '../fake-member.fixture.ts';
import type { ReconcileRequest } from '../reconcile/request.ts';
import { RunningController } from '../running-controller.fixture.ts';
import { ShardedController } from '../sharded-controller.fixture.ts';
import type { ClusterMapFunction } from './cluster-source.ts';
import { clusterSource } from './cluster-source.ts';

const labelled = (labels: Record<string, string>) => {
  const cluster = FakeMember.synced(ConfigMap);
  cluster.describe({ labels, properties: {} });
  return cluster;
};

/** Returns what an event states, in one line. */
function textOf(event: ClusterEvent): string {
  const { type, clusterName, labels, initial } = event;
  const detail =
    event.type === 'phase'
      ? ` ${event.oldPhase ?? 'unknown'}>${event.phase}`
      : event.type === 'labels'
        ? ` from ${Object.values(event.oldLabels).join()}`
        : event.type === 'disengaged'
          ? `: ${event.reason}`
          : '';
  return `${type} ${clusterName} [${Object.values(labels).join()}]${detail}${initial ? ' (initial)' : ''}`;
}

const hubRequest = (name: string): ReconcileRequest => ({ clusterName: '', namespace: 'default', name });

describe('clusterSource', () => {
  let running: RunningController;
  let texts: string[];
  let events: ClusterEvent[];
  const record: ClusterMapFunction<ReconcileRequest> = (event) => {
    events.push(event);
    texts.push(textOf(event));
    return [];
  };
  const take = async () => {
    await running.fake.settle();
    return texts.splice(0);
  };

  beforeEach(() => {
    texts = [];
    events = [];
    running = new RunningController();
  });
  afterEach(async () => {
    await running.stop();
    expect(running.fake.clock.pendingTimers).toBe(0);
  });

  it('FP-1: reports each cluster when it starts, also those that are not engaged', async () => {
    const { recorder } = running.fake.status;
    await running.engageMember('', FakeMember.synced(ConfigMap));
    await running.engageMember('a', labelled({ env: 'prod' }));
    recorder.phase('a', 'Syncing', 'it syncs');
    recorder.phase('b', 'Unreachable', 'connection refused');
    recorder.labels('b', { env: 'test' });
    recorder.phase('c', 'Disengaged', 'it was removed');
    await running.controller.watch(clusterSource(record));
    expect(await take()).toEqual(['engaged a [prod] (initial)', 'phase b [test] unknown>Unreachable (initial)']);
  });

  it('FP-1: reports engagements, changes of labels and phases, and departures', async () => {
    const { recorder } = running.fake.status;
    await running.controller.watch(clusterSource(record));
    const member = labelled({ env: 'prod' });
    const leave = await running.engageMember('a', member);
    recorder.phase('a', 'Syncing', 'it syncs');
    recorder.labels('a', { env: 'prod' });
    expect(await take()).toEqual(['engaged a [prod]', 'phase a [prod] unknown>Syncing']);
    recorder.phase('a', 'Engaged', 'all watches have synced');
    recorder.labels('a', { env: 'test' });
    expect(await take()).toEqual(['labels a [test] from prod', 'phase a [test] Syncing>Engaged']);
    recorder.phase('a', 'Engaged', 'another reason');
    expect(await take()).toEqual([]);
    leave();
    recorder.phase('a', 'Disengaged', 'it was removed');
    expect(await take()).toEqual([
      'disengaged a [prod]: This operation was aborted',
      'phase a [test] Engaged>Disengaged',
    ]);
  });

  it('FP-1: reports another instance of a cluster as engaged, without a departure', async () => {
    await running.controller.watch(clusterSource(record));
    await running.engageMember('a', FakeMember.synced(ConfigMap));
    await running.engageMember('a', FakeMember.synced(ConfigMap));
    expect(await take()).toEqual(['engaged a []', 'engaged a []']);
  });

  it('FP-1: enqueues the requests that the map function returns, the initial ones with low priority', async () => {
    const priorities: number[] = [];
    await running.stop();
    running = new RunningController({ reconciler: async (_request, { priority }) => void priorities.push(priority) });
    await running.engageMember('', FakeMember.synced(ConfigMap));
    await running.engageMember('a', FakeMember.synced(ConfigMap));
    await running.controller.watch(clusterSource(({ clusterName }) => [hubRequest(`of-${clusterName}`)]));
    await running.fake.settle();
    await running.engageMember('b', FakeMember.synced(ConfigMap));
    expect([running.seen, priorities]).toEqual([
      ['/of-a', '/of-b'],
      [-100, 0],
    ]);
  });

  it('FP-1: passes only events to the map function that pass all predicates', async () => {
    const predicates = [
      ({ type }: ClusterEvent) => type === 'engaged',
      ({ clusterName }: ClusterEvent) => clusterName !== 'a',
    ];
    await running.controller.watch(clusterSource(record, { predicates }));
    await running.engageMember('a', FakeMember.synced(ConfigMap));
    const leave = await running.engageMember('b', FakeMember.synced(ConfigMap));
    leave();
    expect(await take()).toEqual(['engaged b []']);
  });

  it('FP-1: adds no requests after the watch was stopped', async () => {
    const watch = await running.controller.watch(clusterSource(record));
    await watch.stop();
    await running.engageMember('a', FakeMember.synced(ConfigMap));
    expect(await take()).toEqual([]);
  });

  it.each<[string, ClusterMapFunction<ReconcileRequest>]>([
    [
      'throws',
      () => {
        throw new Error('not yet');
      },
    ],
    ['rejects', async () => Promise.reject(new Error('not yet'))],
    ['returns no requests', () => undefined as never],
    ['returns an empty entry', () => [undefined as never]],
  ])('FP-1: retries an event whose map function %s, while other events continue', async (_how, fail) => {
    let failing = true;
    const map: ClusterMapFunction<ReconcileRequest> = (event) =>
      failing && event.clusterName === 'a' ? fail(event) : [hubRequest(event.clusterName)];
    await running.engageMember('', FakeMember.synced(ConfigMap));
    await running.controller.watch(clusterSource(map));
    await running.engageMember('a', FakeMember.synced(ConfigMap));
    await running.engageMember('b', FakeMember.synced(ConfigMap));
    expect(running.seen).toEqual(['/b']);
    await running.advance(10_000);
    expect(running.seen).toEqual(['/b']);
    failing = false;
    await running.advance(60_000);
    expect(running.seen).toEqual(['/b', '/a']);
    expect(running.fake.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'failed to handle an event of a cluster, retrying', fields: { cluster: 'a', event: 'engaged' } },
    ]);
  });

  it('FP-1: retries changes of labels as one change, from the oldest labels to the newest', async () => {
    const { recorder } = running.fake.status;
    let failing = true;
    const map: ClusterMapFunction<ReconcileRequest> = (event) => {
      if (failing && event.type === 'labels') throw new Error('not yet');
      return record(event);
    };
    await running.controller.watch(clusterSource(map, { predicates: [({ type }) => type === 'labels'] }));
    recorder.phase('a', 'Discovered', 'it was discovered');
    for (const env of ['one', 'two', 'three']) {
      recorder.labels('a', { env });
      await running.fake.settle();
    }
    failing = false;
    await running.advance(60_000);
    expect(await take()).toEqual(['labels a [three] from one']);
  });

  it('FP-1: forgets a failed engagement when the cluster leaves', async () => {
    const map: ClusterMapFunction<ReconcileRequest> = (event) => {
      if (event.type === 'engaged') throw new Error('no such kind');
      return record(event);
    };
    await running.controller.watch(clusterSource(map));
    const leave = await running.engageMember('a', FakeMember.synced(ConfigMap));
    leave();
    await running.fake.settle();
    expect([texts.length, running.fake.clock.pendingTimers]).toEqual([1, 0]);
  });

  it('FP-1: refuses a map that is not a function, and unknown options', () => {
    expect(() => clusterSource([] as never)).toThrow('clusterSource: expected a function, found an array');
    expect(() => clusterSource(record, { selector: 'x' } as never)).toThrow('selector');
  });

  it('FP-1: needs a controller', async () => {
    const { clock, manager } = running.fake;
    const context = { queue: { add: () => undefined }, signal: running.signal, log: manager.logger, clock };
    await expect(clusterSource(record).start(context)).rejects.toThrow('watch the source with a controller');
  });
});

describe('clusterSource in a sharded fleet', () => {
  it('FP-1: adds the request of a hub object in the replica that owns it, for clusters of all replicas', async () => {
    const sharded = new ShardedController();
    const { recorder } = sharded.fake.status;
    await sharded.set('active', '');
    await sharded.engageHub();
    await sharded.controller.watch(clusterSource(({ clusterName, type }) => [hubRequest(`${type}-${clusterName}`)]));
    recorder.phase('a', 'Discovered', 'another replica owns it');
    await sharded.fake.settle();
    expect(sharded.takeSeen()).toEqual(['/phase-a']);
    await sharded.set('elsewhere', '');
    recorder.phase('b', 'Discovered', 'another replica owns it');
    await sharded.advance(60_000);
    expect(sharded.takeSeen()).toEqual([]);
    await sharded.set('active', '');
    await sharded.advance(60_000);
    expect(sharded.takeSeen()).toEqual(['/phase-a', '/phase-b']);
    await sharded.stop();
  });

  it('FP-1: holds the requests of a cluster until this replica owns it', async () => {
    const sharded = new ShardedController();
    await sharded.controller.watch(
      clusterSource(({ clusterName }) => [{ clusterName, namespace: 'default', name: 'copy' }]),
    );
    await sharded.set('warming', 'a');
    await sharded.engageMember('a', new FakeMember());
    expect(sharded.takeSeen()).toEqual([]);
    await sharded.set('active', 'a');
    expect(sharded.takeSeen()).toEqual(['a/copy']);
    await sharded.stop();
  });
});
