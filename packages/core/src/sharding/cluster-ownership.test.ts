import { beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@mcr/client/testing';
import { growthOfHeap } from '../../../client/src/garbage/garbage.fixture.ts';
import { isNotOwner } from '../fleet/multicluster/not-owner-error.ts';
import { withinReconcile } from '../fleet/fence/current-fence.ts';
import type { OwnershipState } from '../fleet/multicluster/ownership.ts';
import { ClusterOwnership } from './cluster-ownership.ts';
import { slotOf } from './plan/slot.ts';
import type { SlotMembership } from './slot-membership.ts';

/** A membership whose slots a test moves. */
class FakeMembership implements SlotMembership {
  readonly slots: number;
  readonly writeDeadline = 5_000;
  readonly #states = new Map<number, OwnershipState>();
  readonly #listeners: ((changes: ReadonlyMap<number, OwnershipState>) => void)[] = [];

  constructor(slots: number) {
    this.slots = slots;
  }

  stateOf(slot: number): OwnershipState {
    return this.#states.get(slot) ?? 'elsewhere';
  }

  mayWrite(slot: number): boolean {
    return this.stateOf(slot) === 'active';
  }

  ownerOf(slot: number): string | undefined {
    return `replica-${slot}`;
  }

  refusalOf(slot: number): string | undefined {
    return this.stateOf(slot) === 'warming' ? 'it warms' : undefined;
  }

  onChange(listener: (changes: ReadonlyMap<number, OwnershipState>) => void): () => void {
    this.#listeners.push(listener);
    return () => undefined;
  }

  move(slots: readonly number[], state: OwnershipState): void {
    for (const slot of slots) this.#states.set(slot, state);
    for (const listener of this.#listeners) listener(new Map(slots.map((slot) => [slot, state])));
  }
}

const SLOTS = 16;
const slotOfName = (name: string) => slotOf(name, { slots: SLOTS, hash: 'mixed' });
const ALL = Array.from({ length: SLOTS }, (_, slot) => slot);

/** Returns names of clusters of one slot. */
function namesOf(slot: number, count: number): string[] {
  const names: string[] = [];
  for (let n = 0; names.length < count; n++) if (slotOfName(`member-${n}`) === slot) names.push(`member-${n}`);
  return names;
}

describe('the ownership of clusters', () => {
  let clock: VirtualClock;
  let membership: FakeMembership;
  let ownership: ClusterOwnership;
  let progress: (number | undefined)[];
  beforeEach(() => {
    clock = new VirtualClock();
    membership = new FakeMembership(SLOTS);
    ownership = new ClusterOwnership(membership, { clock });
    progress = [];
    ownership.onProgress((slot) => progress.push(slot));
  });

  const [one = '', two = ''] = namesOf(5, 2);

  it('follows the slot of the name', () => {
    expect(ownership.stateOf(one)).toBe('elsewhere');
    expect(ownership.ownerOf(one)).toBe('replica-5');
    membership.move([5], 'active');
    expect(ownership.stateOf(one)).toBe('active');
  });

  it('counts each declared cluster once, until it is forgotten', () => {
    for (const name of [one, two, one]) ownership.declare(name);
    expect(ownership.loads()).toEqual(new Map([[5, 2]]));
    expect(progress.filter((slot) => slot === undefined)).toHaveLength(2);
    ownership.forget(one);
    ownership.forget(one);
    expect(ownership.loads()).toEqual(new Map([[5, 1]]));
    ownership.forget(two);
    expect(ownership.loads()).toEqual(new Map());
    expect(progress.filter((slot) => slot === undefined)).toHaveLength(4);
  });

  it('SH-8: measures the clusters of the slots that it serves', () => {
    const loads: Record<string, number> = { [one]: 3, [two]: 4 };
    const measuring = new ClusterOwnership(membership, { clock, loadOf: (name) => loads[name] ?? 0 });
    for (const name of [one, two, ...namesOf(6, 1)]) measuring.declare(name);
    expect(measuring.measure?.()).toEqual(new Map());
    membership.move([5], 'active');
    expect(measuring.measure?.()).toEqual(new Map([[5, 7]]));
    expect(measuring.loads().get(5)).toBe(2);
    expect(ownership.measure).toBeUndefined();
  });

  it('notifies listeners once of all clusters whose state changed', () => {
    const calls: ReadonlyMap<string, OwnershipState>[] = [];
    const stop = ownership.onChange((changes) => calls.push(changes));
    const other = namesOf(6, 1)[0] ?? '';
    for (const name of [one, two, other]) ownership.declare(name);
    membership.move([5], 'warming');
    expect(calls).toEqual([
      new Map([
        [one, 'warming'],
        [two, 'warming'],
      ]),
    ]);
    stop();
    membership.move([5], 'active');
    expect(calls).toHaveLength(1);
  });

  it('SH-4: a reconcile that outlasts its tenancy never writes again, also if this replica owns the cluster again', () => {
    ownership.declare(one);
    membership.move([5], 'active');
    const fence = ownership.fenceOf(one);
    const end = ownership.begin(one);
    withinReconcile(fence, () => {
      const of = () => ownership.fenceOf(one);
      expect(() => of().check()).not.toThrow();
      membership.move([5], 'draining');
      membership.move([5], 'warming');
      membership.move([5], 'active');
      expect(() => of().check()).toThrow('another replica owned it meanwhile');
      membership.move([5], 'elsewhere');
      membership.move([5], 'active');
      expect(() => of().check()).toThrow('another replica owned it meanwhile');
      // The fences of other clusters are those of today.
      expect(() => ownership.fenceOf(two).check()).not.toThrow();
    });
    end();
    expect(() => ownership.fenceOf(one).check()).not.toThrow();
  });

  it('SH-9: forgets the fences of clusters that the fleet does not contain', () => {
    ownership.declare(one);
    membership.move([5], 'active');
    const strangers = namesOf(5, 50).slice(2);
    const fences = strangers.map((name) => ownership.fenceOf(name));
    expect(ownership.fenceOf(strangers.at(-1) ?? '')).toBe(fences.at(-1));
    expect(ownership.fenceOf(strangers[0] ?? '')).not.toBe(fences[0]);
  });

  it('SH-4: serves keys of its slots that are not names of clusters', () => {
    const { slots } = ownership;
    const changes: ReadonlyMap<number, OwnershipState>[] = [];
    slots.onChange((change) => changes.push(change));
    membership.move([5], 'active');
    expect([slots.count, slots.stateOf(5), slots.ownerOf(5), changes]).toEqual([
      SLOTS,
      'active',
      'replica-5',
      [new Map([[5, 'active']])],
    ]);
    const end = slots.begin(5);
    expect(ownership.isIdle(5)).toBe(false);
    end();
    expect(ownership.isIdle(5)).toBe(true);
    const write = slots.fenceOf(5).begin();
    write.sends();
    expect(ownership.isSettled(5)).toBe(false);
    write.answered();
    expect(ownership.isSettled(5)).toBe(true);
    membership.move([5], 'elsewhere');
    expect(() => slots.fenceOf(5).begin().sends()).toThrow(expect.objectContaining({ clusterName: '' }));
  });

  it('reports a slot as warm when all its clusters are', () => {
    for (const name of [one, two]) ownership.declare(name);
    ownership.warmed(one);
    membership.move([5], 'warming');
    expect(ownership.isWarm(5)).toBe(false);
    ownership.warmed(one);
    ownership.warmed(one);
    ownership.warmed('member-that-was-forgotten');
    expect(ownership.isWarm(5)).toBe(false);
    ownership.warmed(two);
    expect(progress.at(-1)).toBe(5);
    expect(ownership.isWarm(5)).toBe(true);
    // A slot without clusters has nothing to prepare.
    expect(ownership.isWarm(6)).toBe(true);
  });

  it('reports a warm slot as cold when a cluster is added to it, and as warm when that one is forgotten', () => {
    ownership.declare(one);
    membership.move([5], 'warming');
    ownership.warmed(one);
    progress.length = 0;
    ownership.declare(two);
    expect(progress).toContain(5);
    expect(ownership.isWarm(5)).toBe(false);
    progress.length = 0;
    ownership.forget(two);
    expect(progress).toContain(5);
    expect(ownership.isWarm(5)).toBe(true);
  });

  it('prepares a slot from the beginning when it comes back', () => {
    ownership.declare(one);
    membership.move([5], 'warming');
    ownership.warmed(one);
    membership.move([5], 'elsewhere');
    membership.move([5], 'warming');
    expect(ownership.isWarm(5)).toBe(false);
  });

  it('reports a slot as idle when the last reconcile ends, and counts each end once', () => {
    ownership.declare(one);
    membership.move([5], 'active');
    const [endFirst, endSecond] = [ownership.begin(one), ownership.begin(one)];
    membership.move([5], 'draining');
    progress.length = 0;
    endFirst();
    endFirst();
    expect(ownership.isIdle(5)).toBe(false);
    expect(progress).not.toContain(5);
    endSecond();
    expect(ownership.isIdle(5)).toBe(true);
    expect(progress).toContain(5);
  });

  it('still counts a reconcile that goes on after the slot was lost', () => {
    membership.move([5], 'active');
    const end = ownership.begin(one);
    membership.move([5], 'elsewhere');
    membership.move([5], 'warming');
    expect(ownership.isIdle(5)).toBe(false);
    end();
    expect(ownership.isIdle(5)).toBe(true);
  });

  it('reports a slot as settled when each write is answered or its deadline has passed', async () => {
    ownership.declare(one);
    membership.move([5], 'active');
    const [answered, lost] = [ownership.fenceOf(one).begin(), ownership.fenceOf(one).begin()];
    answered.sends();
    lost.sends();
    membership.move([5], 'draining');
    expect(ownership.isSettled(5)).toBe(false);
    expect(ownership.isSettled(5)).toBe(false);
    answered.answered();
    expect(ownership.isSettled(5)).toBe(false);
    progress.length = 0;
    await clock.advance(membership.writeDeadline);
    expect(progress).toEqual([5]);
    expect(ownership.isSettled(5)).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('counts the writes of a cluster that was forgotten until they have ended', async () => {
    ownership.declare(one);
    membership.move([5], 'active');
    ownership.fenceOf(one).begin().sends();
    ownership.forget(one);
    expect(ownership.isSettled(5)).toBe(false);
    await clock.advance(membership.writeDeadline);
    expect(ownership.isSettled(5)).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('SH-4: refuses writes to clusters that are not owned, names the owner, and counts them', () => {
    const write = ownership.fenceOf(one).begin();
    let refusal: unknown;
    try {
      write.sends();
    } catch (error) {
      refusal = error;
    }
    expect(isNotOwner(refusal)).toBe(true);
    expect((refusal as Error).message).toContain('replica-5');
    expect(ownership.refusedWrites).toBe(1);
  });

  it('SH-9: a cluster that another replica owns costs less than 0.5 KB', async () => {
    const count = 50_000;
    const growth = await growthOfHeap((round) => {
      // Names exist in the provider anyway, but count here.
      for (let n = 0; n < count; n++) ownership.declare(`member-${n}-of-the-fleet-${round}`);
    });
    expect(growth / count).toBeLessThan(512);
  });

  it('SH-9: moves of all clusters leave nothing behind', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `member-${n}`);
    for (const name of names) ownership.declare(name);
    const move = () => {
      membership.move(ALL, 'warming');
      for (const name of names) ownership.warmed(name);
      membership.move(ALL, 'active');
      for (const name of names) {
        const write = ownership.fenceOf(name).begin();
        const end = ownership.begin(name);
        write.sends();
        write.answered();
        end();
      }
      membership.move(ALL, 'draining');
      if (!ALL.every((slot) => ownership.isSettled(slot))) throw new Error('a write is unanswered');
      membership.move(ALL, 'elsewhere');
    };
    for (let n = 0; n < 50; n++) move();
    progress.length = 0;
    const growth = await growthOfHeap(() => {
      for (let n = 0; n < 400; n++) {
        move();
        progress.length = 0;
      }
    });
    // 10 bytes for each cluster and move would be more.
    expect(growth).toBeLessThan(80_000);
    expect(clock.pendingTimers).toBe(0);
  });

  it('SH-9: clusters that come and go in an owned slot leave nothing behind', async () => {
    membership.move(ALL, 'active');
    const serve = (name: string) => {
      ownership.declare(name);
      const write = ownership.fenceOf(name).begin();
      write.sends();
      write.answered();
      ownership.forget(name);
    };
    for (let n = 0; n < 500; n++) serve(`early-${n}`);
    progress.length = 0;
    const growth = await growthOfHeap((round) => {
      for (let n = 0; n < 2_000; n++) {
        serve(`member-${n}-of-${round}`);
        progress.length = 0;
      }
    });
    // A declared cluster needs more than 50 bytes.
    expect(growth).toBeLessThan(100_000);
  });
});
