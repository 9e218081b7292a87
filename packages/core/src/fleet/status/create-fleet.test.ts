import { describe, expect, it } from '@jest/globals';
import { ApiError, ConfigMap, NoKindMatchError } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import { createFleet } from './create-fleet.ts';
import type { ClusterStatus, SourceObservation } from './fleet.ts';

const configMaps = { controller: 'copy', source: 'v1 ConfigMap' };

function source(state: SourceObservation['state'], more: Partial<SourceObservation> = {}): SourceObservation {
  return { ...configMaps, state, ...more };
}

describe('the fleet', () => {
  it('FL-1: reports the phase of every cluster, its start and its reason', async () => {
    const clock = new VirtualClock();
    const fleet = createFleet({ clock });
    fleet.recorder.phase('eu-1', 'Connecting', 'waiting for its API server to answer');
    const connectingAt = clock.wallTime();
    await clock.advance(1_000);
    fleet.recorder.phase('eu-1', 'Unreachable', 'connection refused', new Error('connection refused'));
    expect(fleet.get('eu-1')).toEqual({
      name: 'eu-1',
      phase: 'Unreachable',
      since: connectingAt + 1_000,
      reason: 'connection refused',
      lastError: 'connection refused',
      lastErrorAt: connectingAt + 1_000,
      sources: {},
      objects: 0,
      reconciles: 0,
      errors: 0,
      history: [
        { phase: 'Connecting', at: connectingAt, reason: 'waiting for its API server to answer' },
        { phase: 'Unreachable', at: connectingAt + 1_000, reason: 'connection refused' },
      ],
    });
    expect(fleet.get('unheard-of')).toBeUndefined();
  });

  it('FP-1: shows the labels of a cluster, and reports their changes', async () => {
    const { recorder, ...fleet } = createFleet({ clock: new VirtualClock() });
    recorder.labels('unheard-of', { env: 'prod' });
    recorder.phase('a', 'Discovered', 'it was discovered');
    const end = new AbortController();
    const changes = fleet.changes(end.signal)[Symbol.asyncIterator]();
    recorder.labels('a', { env: 'prod' });
    expect((await changes.next()).value).toMatchObject({ name: 'a', labels: { env: 'prod' } });
    const next = changes.next();
    recorder.labels('a', { env: 'prod' });
    recorder.labels('a', {});
    expect((await next).value).not.toHaveProperty('labels');
    expect(fleet.get('unheard-of')).toBeUndefined();
    end.abort();
  });

  it('FP-2: reports whether a cluster is slow or parked, since when, and why; a parked cluster is degraded', async () => {
    const clock = new VirtualClock();
    const fleet = createFleet({ clock });
    const slowAt = clock.wallTime();
    fleet.recorder.phase('eu-1', 'Engaged', 'everything has synced');
    expect(fleet.get('eu-1')).not.toHaveProperty('isolation');
    fleet.recorder.isolated('eu-1', { state: 'slow', reason: 'no response to PATCH within 1000 ms' });
    expect(fleet.get('eu-1')).toMatchObject({
      phase: 'Engaged',
      isolation: { state: 'slow', since: slowAt, reason: 'no response to PATCH within 1000 ms' },
    });
    await clock.advance(500);
    fleet.recorder.isolated('eu-1', { state: 'slow', reason: 'no response to GET within 1000 ms' });
    expect(fleet.get('eu-1')?.isolation).toEqual({
      state: 'slow',
      since: slowAt,
      reason: 'no response to GET within 1000 ms',
    });
    await clock.advance(500);
    fleet.recorder.isolated('eu-1', { state: 'parked', reason: 'no answer to a ping within 1000 ms' });
    expect(fleet.get('eu-1')).toMatchObject({
      phase: 'Degraded',
      since: slowAt + 1_000,
      reason: 'parked: no answer to a ping within 1000 ms',
      lastError: 'parked: no answer to a ping within 1000 ms',
      isolation: { state: 'parked', since: slowAt + 1_000 },
    });
    fleet.recorder.isolated('eu-1', undefined);
    expect(fleet.get('eu-1')).toMatchObject({ phase: 'Engaged' });
    expect(fleet.get('eu-1')).not.toHaveProperty('isolation');
    // Slowness comes and goes: it is not a transition.
    expect(fleet.get('eu-1')?.history.map(({ phase }) => phase)).toEqual(['Engaged', 'Degraded', 'Engaged']);
  });

  it('FP-2: a parked cluster that fails health checks is unreachable, and stays parked when it answers', () => {
    const fleet = createFleet({ clock: new VirtualClock() });
    fleet.recorder.phase('eu-1', 'Engaged', 'everything has synced');
    fleet.recorder.isolated('eu-1', { state: 'parked', reason: 'no answer to a ping within 1000 ms' });
    fleet.recorder.unreachable('eu-1', new Error('deadline of 5000 ms passed'));
    expect(fleet.get('eu-1')).toMatchObject({ phase: 'Unreachable', isolation: { state: 'parked' } });
    fleet.recorder.reachable('eu-1');
    expect(fleet.get('eu-1')).toMatchObject({ phase: 'Degraded', isolation: { state: 'parked' } });
    fleet.recorder.phase('eu-1', 'Disengaged', 'it was removed');
    expect(fleet.get('eu-1')).not.toHaveProperty('isolation');
    fleet.recorder.isolated('eu-1', { state: 'parked', reason: 'late' });
    expect(fleet.get('eu-1')).not.toHaveProperty('isolation');
  });

  it('FP-2: the change feed includes each change of an isolation, also without a change of the phase', async () => {
    const fleet = createFleet({ clock: new VirtualClock() });
    fleet.recorder.phase('eu-1', 'Engaged', 'everything has synced');
    const end = new AbortController();
    const changes = fleet.changes(end.signal)[Symbol.asyncIterator]();
    const next = async () => ((await changes.next()) as IteratorYieldResult<ClusterStatus>).value;
    fleet.recorder.isolated('eu-1', { state: 'slow', reason: 'no response to PATCH within 1000 ms' });
    expect(await next()).toMatchObject({ phase: 'Engaged', isolation: { state: 'slow' } });
    fleet.recorder.isolated('eu-1', { state: 'parked', reason: 'no answer to a ping within 1000 ms' });
    expect(await next()).toMatchObject({ phase: 'Degraded', isolation: { state: 'parked' } });
    fleet.recorder.isolated('eu-1', undefined);
    expect(await next()).not.toHaveProperty('isolation');
    // One that stays not isolated has not changed.
    fleet.recorder.isolated('eu-1', undefined);
    const nothing = changes.next();
    end.abort();
    expect(await nothing).toEqual({ done: true, value: undefined });
  });

  it('FL-1: a cluster is engaged when all its sources have synced, also when it has none', () => {
    const fleet = createFleet({ clock: new VirtualClock() });
    const phase = () => fleet.get('eu-1')?.phase;
    fleet.recorder.phase('eu-1', 'Syncing', 'controllers are being notified');
    fleet.recorder.source('eu-1', source('syncing'));
    fleet.recorder.phase('eu-1', 'Engaged', 'everything has synced');
    expect(phase()).toBe('Syncing');
    fleet.recorder.source('eu-1', source('synced'));
    expect(phase()).toBe('Engaged');

    fleet.recorder.phase('eu-2', 'Syncing', 'controllers are being notified');
    fleet.recorder.phase('eu-2', 'Engaged', 'everything has synced');
    expect(fleet.get('eu-2')?.phase).toBe('Engaged');
  });

  it('FL-1: a cluster is degraded while the watch of a synced source is refused, which a health check detects', () => {
    const phases: string[] = [];
    const fleet = createFleet({
      clock: new VirtualClock(),
      onChange: ({ phase, reason }) => phases.push(`${phase}: ${reason}`),
    });
    let lastError: Error | undefined;
    fleet.recorder.phase('eu-1', 'Engaged', 'everything has synced');
    fleet.recorder.source('eu-1', source('synced', { lastError: () => lastError, objects: () => 3 }));
    const message = 'configmaps is forbidden: User "copy" cannot watch resource "configmaps"';
    lastError = new ApiError({ status: 'Failure', code: 403, reason: 'Forbidden', message });
    for (let check = 0; check < 3; check++) fleet.recorder.healthy('eu-1');
    expect(fleet.get('eu-1')).toMatchObject({
      phase: 'Degraded',
      lastError: message,
      sources: { 'v1 ConfigMap': { synced: false, objects: 3 } },
    });
    lastError = undefined;
    for (let check = 0; check < 3; check++) fleet.recorder.healthy('eu-1');
    expect(phases).toEqual([
      'Engaged: everything has synced',
      `Degraded: v1 ConfigMap of controller copy fails: ${message}`,
      'Engaged: everything has synced',
    ]);
  });

  it.each([
    ['are refused', new ApiError({ status: 'Failure', code: 403, message: 'configmaps is forbidden' })],
    ['are of a kind that it does not serve', new NoKindMatchError(ConfigMap)],
  ])('FL-1: calls a cluster degraded whose initial lists %s', (_, refusal) => {
    const fleet = createFleet({ clock: new VirtualClock() });
    const lastError = () => refusal;
    fleet.recorder.phase('eu-1', 'Engaged', 'everything has synced');
    fleet.recorder.source('eu-1', source('syncing', { lastError }));
    expect(fleet.get('eu-1')?.phase).toBe('Syncing');
    fleet.recorder.healthy('eu-1');
    expect(fleet.get('eu-1')).toMatchObject({
      phase: 'Degraded',
      reason: `v1 ConfigMap of controller copy fails: ${refusal.message}`,
    });
  });

  it('FL-1: a cluster is not degraded because of a transient failure', () => {
    const fleet = createFleet({ clock: new VirtualClock() });
    fleet.recorder.phase('eu-1', 'Engaged', 'everything has synced');
    for (const code of [410, 429, 500, 503]) {
      const lastError = () => new ApiError({ status: 'Failure', code, message: `answered ${code}` });
      fleet.recorder.source('eu-1', source('synced', { lastError }));
      fleet.recorder.healthy('eu-1');
    }
    fleet.recorder.source('eu-1', source('synced', { lastError: () => new Error('connection reset') }));
    fleet.recorder.healthy('eu-1');
    expect(fleet.get('eu-1')?.phase).toBe('Engaged');
  });

  it('FL-1: a cluster is degraded while one of its sources fails, and the reason names the source and the failure', () => {
    const fleet = createFleet({ clock: new VirtualClock() });
    fleet.recorder.phase('eu-1', 'Engaged', 'everything has synced');
    fleet.recorder.source('eu-1', source('synced'));
    fleet.recorder.source('eu-1', {
      controller: 'copy',
      source: 'example.com/v1 Widget',
      state: 'failed',
      error: new Error('the server has no such kind'),
    });
    expect(fleet.get('eu-1')).toMatchObject({
      phase: 'Degraded',
      reason: 'example.com/v1 Widget of controller copy fails: the server has no such kind',
      lastError: 'the server has no such kind',
    });
    fleet.recorder.source('eu-1', { controller: 'copy', source: 'example.com/v1 Widget', state: 'stopped' });
    expect(fleet.get('eu-1')?.phase).toBe('Engaged');
  });

  it('FL-1: shows the sources of a cluster, and counts the objects of a shared informer once', () => {
    const fleet = createFleet({ clock: new VirtualClock() });
    let objects = 1;
    fleet.recorder.phase('eu-1', 'Engaged', 'everything has synced');
    fleet.recorder.source('eu-1', source('synced', { objects: () => objects }));
    fleet.recorder.source('eu-1', source('syncing', { controller: 'audit', objects: () => objects }));
    objects = 7;
    expect(fleet.get('eu-1')).toMatchObject({
      sources: { 'v1 ConfigMap': { synced: false, objects: 7 } },
      objects: 7,
    });
  });

  it('FL-1: counts reconciles and errors, and keeps the latest error with its time', async () => {
    const clock = new VirtualClock();
    const fleet = createFleet({ clock });
    fleet.recorder.reconcile('eu-1', { controller: 'copy', result: 'success' });
    const at = clock.wallTime();
    fleet.recorder.reconcile('eu-1', { controller: 'copy', result: 'error', error: new Error('conflict') });
    await clock.advance(1_000);
    fleet.recorder.reconcile('eu-1', { controller: 'copy', result: 'success' });
    expect(fleet.get('eu-1')).toMatchObject({ reconciles: 3, errors: 1, lastError: 'conflict', lastErrorAt: at });
  });

  it('FL-1: reports why a cluster was disengaged, and keeps its counters but not its sources', () => {
    const fleet = createFleet({ clock: new VirtualClock() });
    fleet.recorder.phase('eu-1', 'Engaged', 'everything has synced');
    fleet.recorder.source('eu-1', source('synced'));
    fleet.recorder.reconcile('eu-1', { controller: 'copy', result: 'success' });
    fleet.recorder.phase('eu-1', 'Disengaged', 'its Secret was deleted');
    fleet.recorder.source('eu-1', source('syncing'));
    expect(fleet.get('eu-1')).toMatchObject({
      phase: 'Disengaged',
      reason: 'its Secret was deleted',
      sources: {},
      reconciles: 1,
    });
  });

  it('FL-1: lists clusters by name', () => {
    const fleet = createFleet({ clock: new VirtualClock() });
    for (const name of ['b', 'c', 'a']) fleet.recorder.phase(name, 'Discovered', 'found');
    expect(fleet.list().map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it('FL-2: keeps the last 50 transitions, and adds none without a change', () => {
    const fleet = createFleet({ clock: new VirtualClock() });
    for (let i = 0; i < 60; i += 1) {
      fleet.recorder.phase('eu-1', 'Unreachable', `try ${i}`);
      fleet.recorder.phase('eu-1', 'Unreachable', `try ${i}`);
    }
    const history = fleet.get('eu-1')?.history ?? [];
    expect(history.map(({ reason }) => reason)).toEqual(Array.from({ length: 50 }, (_, i) => `try ${i + 10}`));
  });

  it('S-11: keeps one transition for a problem with changing messages, and shows the latest message', () => {
    const clock = new VirtualClock();
    const fleet = createFleet({ clock });
    fleet.recorder.phase('eu-1', 'Connecting', 'waiting');
    const since = clock.wallTime();
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const cause = new ApiError({ code: 500, message: `${attempt} ${'x'.repeat(1_000_000)}` });
      fleet.recorder.phase('eu-1', 'Unreachable', `refused: ${cause.message}`, new Error('refused', { cause }));
    }
    const status = fleet.get('eu-1');
    expect(status?.reason).toMatch(/^refused: 99 x+…$/);
    expect(status?.history).toEqual([
      { phase: 'Connecting', at: since, reason: 'waiting' },
      { phase: 'Unreachable', at: since, reason: status?.reason },
    ]);
  });

  it('S-11: bounds reasons, errors and the history in size', () => {
    const fleet = createFleet({ clock: new VirtualClock() });
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const message = `${attempt} ${'🐢'.repeat(100_000)}`;
      fleet.recorder.phase('eu-1', 'Unreachable', message, new Error(message));
    }
    fleet.recorder.reconcile('eu-1', { controller: 'c', result: 'error', error: new Error('y'.repeat(1_000_000)) });
    const status = fleet.get('eu-1');
    expect(status?.lastError).toMatch(/^y+…$/);
    expect(Buffer.byteLength(status?.reason ?? '')).toBeLessThanOrEqual(1024);
    expect(Buffer.byteLength(JSON.stringify(status))).toBeLessThan(70_000);
    expect(status?.history.at(-1)?.reason).toMatch(/^99 /);
    expect(status?.history.length).toBeGreaterThan(10);
  });

  it('FL-2: remembers the last 1,000 disengaged clusters, and every current one', () => {
    const fleet = createFleet({ clock: new VirtualClock() });
    fleet.recorder.phase('here', 'Engaged', 'everything has synced');
    fleet.recorder.phase('came-back', 'Disengaged', 'its Secret was deleted');
    fleet.recorder.phase('came-back', 'Engaged', 'everything has synced');
    for (let i = 0; i < 1_001; i += 1) fleet.recorder.phase(`gone-${i}`, 'Disengaged', 'its Secret was deleted');
    expect(fleet.list()).toHaveLength(1_002);
    expect(fleet.get('gone-0')).toBeUndefined();
    expect(fleet.get('gone-1')).toBeDefined();
    expect(fleet.get('here')?.phase).toBe('Engaged');
    expect(fleet.get('came-back')?.phase).toBe('Engaged');
  });

  it('FL-3: shows the size of the cached objects, if it is known', () => {
    const fleet = createFleet({
      clock: new VirtualClock(),
      cachedBytes: (name) => (name === 'eu-1' ? 4_096 : undefined),
    });
    for (const name of ['eu-1', 'eu-2']) fleet.recorder.phase(name, 'Engaged', 'everything has synced');
    expect(fleet.get('eu-1')).toMatchObject({ cachedBytes: 4_096 });
    expect(fleet.get('eu-2')).not.toHaveProperty('cachedBytes');
  });

  it('FL-3: a slow reader of changes gets the latest state of each cluster once', async () => {
    const fleet = createFleet({ clock: new VirtualClock() });
    const end = new AbortController();
    const changes = fleet.changes(end.signal);
    for (let i = 0; i < 1_000; i += 1) fleet.recorder.phase('eu-1', 'Unreachable', `try ${i}`);
    fleet.recorder.phase('eu-2', 'Engaged', 'everything has synced');

    const seen: ClusterStatus[] = [];
    const reader = (async () => {
      for await (const status of changes) seen.push(status);
    })();
    await new Promise(setImmediate);
    expect(seen.map(({ name, reason }) => [name, reason])).toEqual([
      ['eu-1', 'try 999'],
      ['eu-2', 'everything has synced'],
    ]);
    fleet.recorder.phase('eu-2', 'Disengaged', 'its Secret was deleted');
    await new Promise(setImmediate);
    expect(seen).toHaveLength(3);
    end.abort();
    await reader;
  });
});
