import { afterEach, describe, expect, it } from '@jest/globals';
import { ConfigMap } from '@mcr/client';
import type { ReconcileFunction, Reconciler } from './reconcile/reconciler.ts';
import type { ReconcileRequest } from './reconcile/request.ts';
import { CallingMember } from './calling-member.fixture.ts';
import type { CreateControllerOptions } from './create-controller.ts';
import { FakeMetrics } from './fake-metrics.fixture.ts';
import { RunningController } from './running-controller.fixture.ts';

const REQUESTS = 100;

/** A fleet with one controller whose reconciles call the members, in virtual time. */
class Fleet {
  readonly running: RunningController;
  readonly metrics = new FakeMetrics();
  readonly members = new Map<string, CallingMember>();
  /** Functions that end an engagement, by cluster. */
  readonly leave = new Map<string, () => void>();
  /** Number of running reconciles, by cluster. */
  readonly inside = new Map<string, number>();
  /** Maximum number of concurrent reconciles. */
  mostAtOnce = 0;
  readonly mostOf = new Map<string, number>();
  readonly finished: string[] = [];
  /** Waiting time of each request of a healthy member, and its start. */
  readonly waits: { readonly at: number; readonly wait: number }[] = [];
  readonly #waiting = new Map<string, number>();

  constructor(options: Partial<CreateControllerOptions<ReconcileRequest>> = {}, reconcile?: Reconciler) {
    const reconciler: Reconciler = async (request, context) => {
      const { clusterName, name } = request;
      const since = this.#waiting.get(clusterName);
      if (since !== undefined) this.waits.push({ at: since, wait: this.now - since });
      this.#waiting.delete(clusterName);
      this.#enter(clusterName, 1);
      try {
        if (reconcile) await (reconcile as ReconcileFunction)(request, context);
        else await this.member(clusterName).write(context.signal);
        this.finished.push(`${clusterName}/${name}`);
      } finally {
        this.#enter(clusterName, -1);
      }
    };
    this.running = new RunningController({ ...options, reconciler }, { metrics: this.metrics });
  }

  get now(): number {
    return this.running.fake.clock.now();
  }

  member(name: string): CallingMember {
    const member = this.members.get(name);
    if (!member) throw new Error(`member ${name} does not exist`);
    return member;
  }

  async join(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      const member = new CallingMember(name, this.running.fake.clock);
      this.members.set(name, member);
      this.leave.set(name, await this.running.engageMember(name, member));
    }
  }

  request(clusterName: string, count = 1): void {
    const informer = this.member(clusterName).informer(ConfigMap);
    for (let index = 0; index < count; index += 1) informer.set({ namespace: 'default', name: `r${index}` });
  }

  /** Lets time pass. Each member of `healthy` gets a request every 50 ms. */
  async underLoad(healthy: readonly string[], duration: number): Promise<void> {
    for (const end = this.now + duration; this.now < end;) {
      for (const name of healthy) {
        if (this.#waiting.has(name)) continue;
        this.#waiting.set(name, this.now);
        this.request(name);
      }
      await this.running.advance(50);
    }
    for (const since of this.#waiting.values()) this.waits.push({ at: since, wait: this.now - since });
  }

  /** Like {@link underLoad}, with a health check of every member that succeeds every 10 s. */
  async underLoadWithHealthChecks(healthy: readonly string[], duration: number): Promise<void> {
    for (const end = this.now + duration; this.now < end;) {
      await this.underLoad(healthy, 10_000);
      for (const { breaker } of this.members.values()) breaker.healthChecked(20);
    }
  }

  longestWait(from = 0, to = Infinity): number {
    return Math.max(0, ...this.waits.filter(({ at }) => at >= from && at < to).map(({ wait }) => wait));
  }

  count(clusterName: string): number {
    return this.finished.filter((request) => request.startsWith(`${clusterName}/`)).length;
  }

  #enter(clusterName: string, change: 1 | -1): void {
    this.inside.set(clusterName, (this.inside.get(clusterName) ?? 0) + change);
    const all = [...this.inside.values()].reduce((sum, count) => sum + count, 0);
    this.mostAtOnce = Math.max(all, this.mostAtOnce);
    this.mostOf.set(clusterName, Math.max(this.inside.get(clusterName) ?? 0, this.mostOf.get(clusterName) ?? 0));
  }
}

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('isolation of slow clusters in a controller', () => {
  let fleet: Fleet;
  afterEach(async () => {
    await fleet.running.stop();
    for (const { breaker } of fleet.members.values()) breaker.close();
    expect(fleet.running.fake.clock.pendingTimers).toBe(0);
  });

  it('FP-2, CT-14: a single cluster holds all workers, and one of several clusters at most half of them', async () => {
    fleet = new Fleet({ maxConcurrentReconciles: 5 });
    await fleet.join('a');
    fleet.request('a', 20);
    await fleet.running.advance(100);
    expect(fleet.mostOf.get('a')).toBe(5);
    await fleet.join('b');
    fleet.mostOf.clear();
    fleet.request('a', 20);
    await fleet.running.advance(100);
    expect(fleet.mostOf.get('a')).toBe(2);
    fleet.leave.get('b')?.();
    fleet.mostOf.clear();
    fleet.request('a', 20);
    await fleet.running.advance(100);
    expect(fleet.mostOf.get('a')).toBe(5);
  });

  it.each([
    ['maxConcurrentPerCluster says otherwise', { maxConcurrentPerCluster: 3 }, 3],
    ['clusters do not take turns', { fairness: 'none' as const }, 4],
  ])('FP-2: unless %s', async (_, options, most) => {
    fleet = new Fleet({ maxConcurrentReconciles: 4, ...options });
    await fleet.join('a', 'b');
    fleet.request('a', 20);
    await fleet.running.advance(100);
    expect(fleet.mostOf.get('a')).toBe(most);
  });

  it('FP-2, F-23: a half-open member with 100 requests is parked without delaying others, and is served at once after its recovery', async () => {
    fleet = new Fleet({ maxConcurrentReconciles: 4 });
    await fleet.join('bad', ...names('h', 5));
    fleet.member('bad').isSilent = true;
    fleet.request('bad', REQUESTS);
    await fleet.underLoad(names('h', 5), 10_000);
    expect(fleet.longestWait()).toBeLessThanOrEqual(100);
    expect(fleet.member('bad').breaker.state).toMatchObject({ phase: 'parked', cause: 'ping' });
    expect(fleet.inside.get('bad')).toBe(0);
    expect(fleet.member('bad').calls).toBe(2);
    expect(fleet.running.fake.outcomes.filter(({ cluster }) => cluster === 'bad')).toEqual([]);
    fleet.member('bad').isSilent = false;
    await fleet.running.advance(200);
    expect(fleet.count('bad')).toBe(REQUESTS);
  });

  it.each([2, 4])('FP-2, F-23: a member that loses only writes delays no other, with %d workers', async (workers) => {
    fleet = new Fleet({ maxConcurrentReconciles: workers });
    await fleet.join('bad', ...names('h', 5));
    fleet.member('bad').latency = Infinity;
    fleet.request('bad', REQUESTS);
    await fleet.underLoad(names('h', 5), 30_000);
    expect(fleet.longestWait()).toBeLessThanOrEqual(100);
    // Parked after two calls were lost, then tried with one call at a time, less and less often.
    expect(fleet.member('bad').calls).toBeLessThanOrEqual(8);
    fleet.member('bad').latency = 1;
    await fleet.running.advance(31_000);
    expect(fleet.count('bad')).toBe(REQUESTS);
  });

  it('FP-2, F-23: two members that send headers and trickle bodies delay others once, with 4 workers', async () => {
    fleet = new Fleet({ maxConcurrentReconciles: 4 });
    const [bad, healthy] = [names('bad', 2), names('h', 3)];
    await fleet.join(...bad, ...healthy);
    for (const name of bad) {
      fleet.member(name).trickles = true;
      fleet.request(name, REQUESTS);
    }
    await fleet.underLoad(healthy, 30_000);
    expect(fleet.longestWait(0, 2_000)).toBeLessThanOrEqual(2_000);
    expect(fleet.longestWait(2_000)).toBeLessThanOrEqual(100);
    for (const name of bad) {
      expect(fleet.member(name).breaker.state).toMatchObject({ cause: 'write' });
      fleet.member(name).trickles = false;
    }
    await fleet.running.advance(31_000);
    for (const name of bad) expect(fleet.count(name)).toBe(REQUESTS);
  });

  it.each([2, 4])(
    'FP-2, F-23: half of 20 members going slow at once delay the others by 2 s once, with %d workers',
    async (workers) => {
      fleet = new Fleet({ maxConcurrentReconciles: workers });
      const [bad, healthy] = [names('s', 10), names('h', 10)];
      await fleet.join(...bad, ...healthy);
      for (const name of bad) {
        fleet.member(name).latency = Infinity;
        fleet.request(name, REQUESTS);
      }
      await fleet.underLoad(healthy, 20_000);
      expect(fleet.longestWait(0, 2_000)).toBeLessThanOrEqual(2_000);
      expect(fleet.longestWait(2_000)).toBeLessThanOrEqual(100);
    },
  );

  it('FP-2, F-23: the delay stays small while their requests wait for minutes, although health checks succeed', async () => {
    fleet = new Fleet({ maxConcurrentReconciles: 2 });
    const [bad, healthy] = [names('s', 10), names('h', 10)];
    await fleet.join(...bad, ...healthy);
    for (const name of bad) {
      fleet.member(name).latency = Infinity;
      fleet.request(name, REQUESTS);
    }
    await fleet.underLoadWithHealthChecks(healthy, 180_000);
    expect(fleet.longestWait(2_000)).toBeLessThanOrEqual(100);
  });

  it.each([1, 2])('FP-2: a cluster is slow for 70 s at most after one late call, with %d workers', async (workers) => {
    fleet = new Fleet({ maxConcurrentReconciles: workers });
    await fleet.join('late', 'h0');
    fleet.member('late').latency = 1_500;
    fleet.request('late');
    await fleet.running.advance(2_000);
    expect(fleet.member('late').breaker.state.phase).toBe('slow');
    await fleet.underLoadWithHealthChecks(['h0'], 70_000);
    expect(fleet.member('late').breaker.state.phase).toBe('closed');
    expect(fleet.longestWait()).toBeLessThanOrEqual(100);
  });

  it.each<[string, (bad: CallingMember) => void]>([
    ['is half-open', (bad) => (bad.isSilent = true)],
    ['loses only writes', (bad) => (bad.latency = Infinity)],
    ['trickles bodies', (bad) => (bad.trickles = true)],
  ])('FP-2: with one worker a member that %s delays others once, for 2 s at most', async (_, harm) => {
    fleet = new Fleet();
    await fleet.join('bad', ...names('h', 3));
    harm(fleet.member('bad'));
    fleet.request('bad', REQUESTS);
    await fleet.underLoad(names('h', 3), 30_000);
    expect(fleet.mostAtOnce).toBe(1);
    expect(fleet.longestWait(0, 100)).toBeLessThanOrEqual(2_000);
    expect(fleet.longestWait(100)).toBeLessThanOrEqual(100);
  });

  it('FP-2: with one worker half of 20 members going slow at once delay the others by 2 s', async () => {
    fleet = new Fleet();
    const [bad, healthy] = [names('s', 10), names('h', 10)];
    await fleet.join(...bad, ...healthy);
    for (const name of bad) {
      fleet.member(name).latency = Infinity;
      fleet.request(name, REQUESTS);
    }
    await fleet.underLoad(healthy, 20_000);
    expect(fleet.longestWait()).toBeLessThanOrEqual(2_000);
    expect(fleet.longestWait(2_000)).toBeLessThanOrEqual(100);
  });

  it('FP-2: a member that answers after 1.5 s is still reconciled, and holds half of the workers', async () => {
    fleet = new Fleet({ maxConcurrentReconciles: 4, maxConcurrentPerCluster: 4 });
    await fleet.join('slow', 'h0');
    fleet.member('slow').latency = 1_500;
    fleet.request('slow', 20);
    await fleet.underLoad(['h0'], 30_000);
    expect(fleet.count('slow')).toBe(20);
    expect(fleet.longestWait(1_100)).toBeLessThanOrEqual(100);
    expect(fleet.member('slow').breaker.state).toMatchObject({ phase: 'slow', answers: true });
  });

  it('FP-2: with one worker, such a member makes progress although others always have requests', async () => {
    fleet = new Fleet();
    await fleet.join('slow', 'h0');
    fleet.member('slow').latency = 1_500;
    fleet.request('slow', 20);
    await fleet.underLoad(['h0'], 90_000);
    expect(fleet.count('slow')).toBeGreaterThanOrEqual(3);
    expect(fleet.longestWait()).toBeLessThanOrEqual(2_000);
    expect(fleet.mostAtOnce).toBe(1);
  });

  it('FP-2: with one busy worker, such a member gets a turn after half a minute, then every 5 s', async () => {
    fleet = new Fleet();
    await fleet.join('slow', 'h0', 'h1');
    for (const name of ['h0', 'h1']) fleet.member(name).latency = 60;
    fleet.member('slow').latency = 1_500;
    fleet.request('slow', 20);
    await fleet.underLoad(['h0', 'h1'], 40_000);
    expect(fleet.count('slow')).toBeGreaterThanOrEqual(1);
    await fleet.underLoad(['h0', 'h1'], 30_000);
    expect(fleet.count('slow')).toBeGreaterThanOrEqual(4);
    expect(fleet.longestWait()).toBeLessThanOrEqual(2_000);
    expect(fleet.mostAtOnce).toBe(1);
  });

  it('FP-2: with one busy worker, slow members share the turns and leave most of the time to others', async () => {
    fleet = new Fleet();
    const slow = names('s', 5);
    await fleet.join(...slow, 'h0', 'h1');
    for (const name of ['h0', 'h1']) fleet.member(name).latency = 60;
    for (const name of slow) {
      fleet.member(name).latency = 1_500;
      fleet.request(name, 20);
    }
    await fleet.underLoad(['h0', 'h1'], 120_000);
    for (const name of slow) expect(fleet.count(name)).toBeGreaterThanOrEqual(2);
    // Each takes 60 ms: 2,000 in all if there were no slow members.
    expect(fleet.count('h0') + fleet.count('h1')).toBeGreaterThanOrEqual(1_000);
  });

  it('FP-2: reconciles of a slow member are not preempted if other members have no requests', async () => {
    fleet = new Fleet();
    await fleet.join('slow', 'h0');
    fleet.member('slow').latency = 3_000;
    fleet.request('slow', 3);
    await fleet.running.advance(10_000);
    expect(fleet.count('slow')).toBe(3);
    expect(fleet.member('slow').calls).toBe(3);
  });

  it('FP-2: a reconcile that computes for long without calls is not preempted', async () => {
    const aborted: unknown[] = [];
    fleet = new Fleet({}, async ({ clusterName }, { signal }) => {
      signal.addEventListener('abort', () => aborted.push(signal.reason));
      if (clusterName === 'busy') await new Promise<void>((resolve) => clock.schedule(30_000, () => resolve()));
      else await fleet.member(clusterName).write();
    });
    const { clock } = fleet.running.fake;
    await fleet.join('busy', 'bad', 'h0');
    fleet.member('bad').isSilent = true;
    fleet.request('busy');
    await fleet.underLoad(['h0'], 29_000);
    expect([fleet.count('busy'), aborted]).toEqual([0, []]);
    await fleet.underLoad(['h0'], 2_000);
    expect(fleet.count('busy')).toBe(1);
  });

  it('FP-2, WQ-3: a preempted reconcile that ignores its signal keeps its key, and another worker takes its place', async () => {
    const end = Promise.withResolvers<void>();
    fleet = new Fleet({}, async ({ clusterName }) => {
      try {
        await fleet.member(clusterName).write();
      } catch {
        await end.promise;
      }
    });
    await fleet.join('bad', 'h0');
    fleet.member('bad').isSilent = true;
    fleet.request('bad');
    await fleet.underLoad(['h0'], 5_000);
    expect(fleet.longestWait(0, 100)).toBeLessThanOrEqual(2_000);
    expect(fleet.longestWait(100)).toBeLessThanOrEqual(100);
    fleet.member('bad').isSilent = false;
    fleet.request('bad');
    await fleet.underLoad(['h0'], 2_000);
    expect(fleet.mostOf.get('bad')).toBe(1);
    end.resolve();
    await fleet.underLoad(['h0'], 500);
    // The one that was preempted, and then its request again: two workers have become one.
    expect(fleet.count('bad')).toBe(2);
    fleet.mostAtOnce = 0;
    await fleet.underLoad(['h0', 'bad'], 1_000);
    expect(fleet.mostAtOnce).toBe(1);
  });

  it('FP-2: a reconcile that waits for another cluster is preempted as well', async () => {
    fleet = new Fleet({ maxConcurrentReconciles: 2, maxConcurrentPerCluster: 2 }, ({ clusterName }) =>
      fleet.member(clusterName === 'hub' ? 'bad' : clusterName).write(),
    );
    await fleet.join('hub', 'bad', 'h0');
    fleet.member('bad').latency = Infinity;
    fleet.request('hub', 20);
    await fleet.underLoad(['h0'], 20_000);
    expect(fleet.longestWait(0, 1_100)).toBeLessThanOrEqual(2_000);
    expect(fleet.longestWait(2_000)).toBeLessThanOrEqual(100);
    expect(fleet.member('hub').breaker.state.phase).toBe('closed');
  });

  it('FP-2: a preempted reconcile does not count as a failure, and its request is retried', async () => {
    fleet = new Fleet();
    await fleet.join('bad', 'h0');
    fleet.member('bad').latency = Infinity;
    fleet.request('bad');
    await fleet.underLoad(['h0'], 1_500);
    expect(fleet.member('bad').calls).toBe(1);
    expect(fleet.metrics.ended).toContain(undefined);
    expect(fleet.running.fake.outcomes.filter(({ cluster }) => cluster === 'bad')).toEqual([]);
    fleet.member('bad').latency = 1;
    await fleet.running.advance(2_000);
    expect(fleet.count('bad')).toBe(1);
  });

  it('FP-2, CT-3: disengaging a parked member drops its requests, and its next instance is not parked', async () => {
    fleet = new Fleet({ maxConcurrentReconciles: 2 });
    await fleet.join('bad', 'h0');
    const first = fleet.member('bad');
    first.isSilent = true;
    fleet.request('bad', REQUESTS);
    await fleet.running.advance(1_500);
    expect(first.breaker.state.phase).toBe('parked');
    fleet.leave.get('bad')?.();
    first.breaker.close();
    await fleet.join('bad');
    fleet.request('bad', 2);
    await fleet.running.advance(100);
    expect(fleet.count('bad')).toBe(2);
  });

  it('FP-2: a controller that is added later sees the member as parked', async () => {
    fleet = new Fleet();
    const { clock } = fleet.running.fake;
    const member = new CallingMember('bad', clock);
    member.isSilent = true;
    const scope = { calls: new Set<never>(), preempted: undefined, ended: false, signal: new AbortController().signal };
    member.breaker.begin(scope, 'PATCH').signal.addEventListener('abort', () => undefined);
    await fleet.running.advance(1_100);
    fleet.members.set('bad', member);
    await fleet.running.engageMember('bad', member);
    fleet.request('bad');
    await fleet.running.advance(5_000);
    expect(fleet.running.seen).toEqual([]);
    member.isSilent = false;
    await fleet.running.advance(10);
    expect(fleet.count('bad')).toBe(1);
  });

  it('FP-2, MG-4: stops while a member is parked and its reconciles are preempted', async () => {
    fleet = new Fleet({ maxConcurrentReconciles: 4 });
    await fleet.join('bad', 'h0');
    fleet.member('bad').isSilent = true;
    fleet.request('bad', REQUESTS);
    await fleet.running.advance(1_200);
    await fleet.running.stop();
    expect(fleet.inside.get('bad')).toBe(0);
  });
});
