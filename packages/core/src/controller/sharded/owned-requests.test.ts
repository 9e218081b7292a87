import { beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import { FakeOwnership } from '../../fleet/clusters/fake-ownership.fixture.ts';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { Part } from './owned-requests.ts';
import { OwnedRequests } from './owned-requests.ts';
import type { ReconcileRequest } from '../reconcile/request.ts';
import { requestType } from '../reconcile/request.ts';
import { WorkQueue } from '../workqueue/workqueue.ts';

const request = (clusterName: ClusterName, name = 'x'): ReconcileRequest => ({ clusterName, namespace: '', name });

describe('OwnedRequests', () => {
  let clock: VirtualClock;
  let ownership: FakeOwnership;
  let queue: WorkQueue<ReconcileRequest>;
  let owned: OwnedRequests<ReconcileRequest>;
  let warnings: unknown[];
  /** Lost clusters, and gained ones of each call. */
  let lost: ClusterName[];
  let gained: Part[][];
  beforeEach(() => {
    ownership = new FakeOwnership();
    for (const name of ['a', 'b']) ownership.declare(name);
    clock = new VirtualClock();
    queue = new WorkQueue({ requestType, clock });
    [warnings, lost, gained] = [[], [], []];
    owned = new OwnedRequests({
      ownership,
      queue,
      requestType,
      clock,
      log: { ...silentLogger, warn: (_, fields) => void warnings.push(fields) },
      onLost: (name) => void lost.push(name),
      onGained: (names) => void gained.push([...names]),
    });
    owned.follow();
  });
  const next = () => queue.tryGet()?.clusterName;

  it('SH-10: adds only the requests of clusters that this process serves', () => {
    ownership.set('active', 'a');
    for (const name of ['a', 'b']) owned.add(request(name));
    expect([next(), next()]).toEqual(['a', undefined]);
  });

  it.each(['warming', 'draining'] as const)('SH-5: requests of a cluster wait while it is %s', (state) => {
    ownership.set(state, 'a');
    owned.add(request('a'));
    expect([queue.length, next()]).toEqual([1, undefined]);
    ownership.set('active', 'a');
    expect(next()).toBe('a');
  });

  it('SH-5: a request that was handed out before a change waits or is dropped, and does not come back at once', () => {
    ownership.set('active', 'a');
    for (const state of ['active', 'draining', 'warming', 'elsewhere'] as const) {
      owned.add(request('a'));
      const item = queue.tryGet();
      ownership.set(state, 'a');
      const fate = item && owned.dispose(item);
      expect(fate).toBe(state === 'active' ? 'reconcile' : state === 'elsewhere' ? 'drop' : 'wait');
      if (item) queue.done(item, fate === 'wait' ? {} : undefined);
      expect(next()).toBeUndefined();
      ownership.set('active', 'a');
      for (let rest = queue.tryGet(); rest; rest = queue.tryGet()) queue.done(rest);
    }
  });

  it('SH-5: reports the lost clusters, and the gained ones of one change together', () => {
    ownership.set('warming', 'a', 'b');
    ownership.set('active', 'a', 'b');
    ownership.set('draining', 'a');
    expect([gained, lost]).toEqual([[['a', 'b']], []]);
    ownership.set('elsewhere', 'a');
    ownership.set('active', 'a');
    expect([gained, lost]).toEqual([[['a', 'b'], ['a']], ['a']]);
  });

  it('SH-5: a cluster that was declared after this process owned it is gained when it is engaged', () => {
    ownership.set('active', 'c');
    expect(gained).toEqual([]);
    owned.engage('c');
    owned.engage('c');
    expect(gained).toEqual([['c']]);
  });

  it('SH-5: a cluster that the fleet no longer contains is lost without a report, and gained when it comes back', () => {
    ownership.set('active', 'a');
    ownership.forget('a');
    ownership.set('elsewhere', 'a');
    expect(lost).toEqual(['a']);
    ownership.declare('a');
    ownership.set('active', 'a');
    expect(gained).toEqual([['a'], ['a']]);
  });

  it('SH-5: a disengaged cluster is gained when it is engaged again', () => {
    ownership.set('active', 'a');
    owned.disengage('a');
    owned.engage('a');
    expect(gained).toEqual([['a'], ['a']]);
  });

  it('SH-5: a cluster is gained again if another replica owned it meanwhile, although it was served all the time', () => {
    ownership.set('active', 'a');
    ownership.owners.set('a', 'replica-b');
    ownership.set('draining', 'a');
    ownership.set('warming', 'a');
    ownership.owners.delete('a');
    ownership.set('active', 'a');
    expect([gained, lost]).toEqual([[['a'], ['a']], []]);
  });

  it('SH-11: a cluster that no other replica owned meanwhile is not gained again', () => {
    ownership.owners.set('a', 'replica-a');
    for (const state of ['active', 'draining', 'warming', 'active'] as const) ownership.set(state, 'a');
    expect([gained, lost]).toEqual([[['a']], []]);
  });

  it('SH-5: requests of a cluster that the fleet does not contain wait and continue too', () => {
    ownership.set('warming', 'c');
    owned.add(request('c'));
    expect(next()).toBeUndefined();
    ownership.set('active', 'c');
    expect(next()).toBe('c');
  });

  it('SH-10: requests for deleted objects that were dropped come back when another replica gives their cluster away', async () => {
    owned.deletions.add(request('a', 'gone'));
    owned.add(request('a', 'changed'));
    owned.deletions.add(request('b', 'elsewhere'));
    expect(queue.length).toBe(0);
    await clock.advance(60_000);
    ownership.set('warming', 'a');
    expect(queue.length).toBe(1);
    ownership.set('active', 'a');
    expect(queue.tryGet()?.request).toEqual(request('a', 'gone'));
    ownership.set('elsewhere', 'a');
    ownership.set('active', 'a');
    expect(queue.length).toBe(0);
    await clock.advance(60_000);
    ownership.set('active', 'b');
    expect(queue.length).toBe(0);
  });

  it('SH-10: keeps at most 10,000 requests for deleted objects, the latest ones', () => {
    for (let n = 0; n < 10_001; n++) owned.deletions.add(request('a', String(n)));
    ownership.set('active', 'a');
    expect([queue.length, queue.tryGet()?.request]).toEqual([10_000, request('a', '1')]);
  });

  it('SH-10: requests wait until the owner of their cluster is known', () => {
    ownership.owners.set('a', undefined);
    ownership.owners.set('b', undefined);
    for (const name of ['a', 'b']) owned.add(request(name));
    expect([queue.length, next()]).toEqual([2, undefined]);
    ownership.owners.delete('a');
    ownership.owners.delete('b');
    ownership.set('active', 'a');
    const [first, second] = [queue.tryGet(), queue.tryGet()];
    expect([first, second].map((item) => item && [item.clusterName, owned.dispose(item)])).toEqual([
      ['a', 'reconcile'],
      ['b', 'drop'],
    ]);
  });

  it('SH-10: warns once of requests that a source in one cluster adds for a cluster of another replica', () => {
    ownership.set('active', 'a');
    for (const target of ['a', 'b', 'b', '']) owned.from('a').add(request(target));
    owned.from('').add(request('b'));
    expect(warnings).toEqual([{ cluster: 'b', owner: 'replica-b', source: 'a' }]);
    expect([next(), next()]).toEqual(['a', undefined]);
  });

  it('SH-5: applies the changes before it follows the ownership, and none after it was closed', () => {
    const late = new OwnedRequests({
      ownership,
      queue,
      requestType,
      clock,
      log: silentLogger,
      onLost: (name) => void lost.push(`late ${name}`),
      onGained: () => undefined,
    });
    owned.close();
    ownership.set('active', 'a', 'b');
    for (const name of ['a', 'b']) late.engage(name);
    ownership.set('elsewhere', 'a');
    expect([ownership.listeners, lost]).toEqual([0, []]);
    late.follow();
    late.follow();
    expect([ownership.listeners, lost]).toEqual([1, ['late a']]);
    late.close();
    ownership.set('elsewhere', 'b');
    expect([ownership.listeners, lost]).toEqual([0, ['late a']]);
  });
});
