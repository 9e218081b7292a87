import { describe, expect, it } from '@jest/globals';
import type { Lease } from '@mcr/client';
import fc from 'fast-check';
import { grownRules } from '../membership/grown-rules.ts';
import type { MemberRecord } from '../membership/member-record.ts';
import { DEFAULT_RULES, MAX_DURATION } from '../membership/rules.ts';
import type { Plan } from '../plan/plan.ts';
import { MEMBER_ANNOTATION, PLAN_ANNOTATION, SEQUENCE_ANNOTATION, ShardGroupMismatchError } from './group.ts';
import type { ShardGroup } from './group.ts';
import { isMemberLease, readMemberLease, writeMemberLease } from './member-lease.ts';
import { readPlanLease, writePlanLease } from './plan-lease.ts';

const group: ShardGroup = { name: 'copier', namespace: 'fleet', slots: 16 };

/** Returns a Lease as the API server has it. */
function stored(lease: ReturnType<typeof writePlanLease> | ReturnType<typeof writeMemberLease>): Lease {
  const text = JSON.stringify({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...lease });
  const parsed = JSON.parse(text) as Lease;
  return { ...parsed, metadata: { ...parsed.metadata, resourceVersion: '7' } };
}

function withAnnotations(lease: Lease, annotations: Readonly<Record<string, string>>): Lease {
  return { ...lease, metadata: { ...lease.metadata, annotations } };
}

const names = fc
  .uniqueArray(fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,20}-[0-9a-f]{10}$/u), { minLength: 1, maxLength: 60 })
  .map((list) => list.sort());

const epochs = fc.integer({ min: 1, max: 2 ** 40 });

/** Valid plans of 2^0 to 2^12 slots. */
const plans: fc.Arbitrary<Plan> = fc
  .record({ members: names, epoch: epochs, id: fc.string({ minLength: 1, maxLength: 20 }), bits: fc.nat(12) })
  .chain(({ members, epoch, id, bits }) => {
    const member = fc.constantFrom(...members);
    const assignment = fc
      .record({
        owner: member,
        since: fc.integer({ min: 1, max: epoch }),
        next: fc.option(member, { nil: undefined }),
        wait: fc.subarray(members),
      })
      .map(({ owner, since, next, wait }) => ({
        owner,
        since,
        wait: wait.filter((name) => name !== owner),
        ...(next !== undefined && next !== owner && { next }),
      }));
    return fc
      .record({
        // A few assignments that repeat, and so runs and slots that differ from their neighbors.
        choices: fc.array(assignment, { minLength: 1, maxLength: 20 }),
        picks: fc.array(fc.nat(), { minLength: 1, maxLength: 30 }),
        rewritten: fc.option(epochs, { nil: undefined }),
      })
      .map(({ choices, picks, rewritten }) => {
        const slots = Array.from({ length: 2 ** bits }, (_, slot) => {
          const chosen = choices[(picks[slot % picks.length] ?? 0) % choices.length];
          if (!chosen) throw new Error('no assignment');
          return chosen;
        });
        return { epoch, id, members, slots, ...(rewritten !== undefined && { rewritten }) };
      });
  });

describe('the Lease of a plan', () => {
  it('returns each plan as it was written', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const its = { ...group, slots: plan.slots.length };
        expect(readPlanLease(stored(writePlanLease(plan, { group: its, resourceVersion: '6' })), its)).toEqual({
          type: 'plan',
          plan,
          resourceVersion: '7',
        });
      }),
      { numRuns: 25 },
    );
  });

  const members = ['copier-a-0', 'copier-b-0'];
  const plan: Plan = {
    epoch: 3,
    id: 'x',
    members,
    slots: Array.from({ length: 16 }, () => ({ owner: 'copier-a-0', since: 1, wait: ['copier-b-0'] })),
  };
  const lease = stored(writePlanLease(plan, { group, resourceVersion: undefined }));
  const content = JSON.parse(lease.metadata.annotations?.[PLAN_ANNOTATION] ?? '') as Record<string, unknown>;
  const withPlan = (changes: Record<string, unknown>) =>
    withAnnotations(lease, { [PLAN_ANNOTATION]: JSON.stringify({ ...content, ...changes }) });

  const broken: Record<string, Lease> = {
    'no annotations': { ...lease, metadata: { name: lease.metadata.name, resourceVersion: '7' } as Lease['metadata'] },
    'no annotation': withAnnotations(lease, {}),
    'a huge text': withAnnotations(lease, { [PLAN_ANNOTATION]: ' '.repeat(200_001) }),
    'text that is not JSON': withAnnotations(lease, { [PLAN_ANNOTATION]: '{' }),
    null: withAnnotations(lease, { [PLAN_ANNOTATION]: 'null' }),
    'a list': withAnnotations(lease, { [PLAN_ANNOTATION]: '[]' }),
    'deep nesting': withAnnotations(lease, { [PLAN_ANNOTATION]: '['.repeat(90_000) + ']'.repeat(90_000) }),
    'an epoch of null (NaN)': withPlan({ epoch: Number.NaN }),
    'an epoch of text': withPlan({ epoch: '3' }),
    'an epoch that is not exact': withPlan({ epoch: 2 ** 60 }),
    'an epoch that no later one can follow': withPlan({ epoch: Number.MAX_SAFE_INTEGER }),
    'an epoch above 2^40': withPlan({ epoch: 2 ** 40 + 1 }),
    'epoch 0': withPlan({ epoch: 0 }),
    'an empty id': withPlan({ id: '' }),
    'a long id': withPlan({ id: 'x'.repeat(65) }),
    'no members': withPlan({ members: [] }),
    'a member twice': withPlan({ members: ['copier-a-0', 'copier-a-0'] }),
    'members that are not sorted': withPlan({ members: [...members].reverse() }),
    'a long unknown name': withPlan({ members: ['x'.repeat(254)] }),
    'an unknown owner': withPlan({ runs: [[16, 2, 1, -1, 0]] }),
    'an unknown next owner': withPlan({ runs: [[16, 0, 1, 2, 0]] }),
    'a next owner that owns the slot': withPlan({ runs: [[16, 0, 1, 0, 0]] }),
    'an owner at a property of objects': withPlan({ runs: [[16, '__proto__', 1, -1, 0]] }),
    'an unknown set of members': withPlan({ runs: [[16, 0, 1, -1, 1]] }),
    'a set that is not base64': withPlan({ waits: ['?'] }),
    'a set with an unknown member': withPlan({ waits: ['gA=='] }),
    'a slot that waits for its owner': withPlan({ waits: ['AQ=='] }),
    'a slot that was given later': withPlan({ runs: [[16, 0, 4, -1, 0]] }),
    'too few slots': withPlan({ runs: [[15, 0, 1, -1, 0]] }),
    'too many slots': withPlan({ runs: [[17, 0, 1, -1, 0]] }),
    'an enormous run': withPlan({ runs: [[2 ** 52, 0, 1, -1, 0]] }),
    'a run of no slots': withPlan({
      runs: [
        [0, 0, 1, -1, 0],
        [16, 0, 1, -1, 0],
      ],
    }),
    'a run with a missing field': withPlan({ runs: [[16, 0, 1, -1]] }),
    'controllers that are not a list': withPlan({ controllers: 'all' }),
    'many controllers': withPlan({ controllers: Array.from({ length: 51 }, (_, n) => `c${n} uid`) }),
  };

  for (const [what, hostile] of Object.entries(broken)) {
    it(`is unreadable with ${what}`, () => {
      const read = readPlanLease(hostile, group);
      expect(read).toMatchObject({ type: 'unreadable', resourceVersion: '7' });
      expect('reason' in read && read.reason.length > 0 && read.reason.length <= 200).toBe(true);
    });
  }

  it('never takes a name for a property of objects', () => {
    const odd = [...['__proto__', 'constructor', 'toString']].sort();
    const slots = plan.slots.map(() => ({ owner: '__proto__', since: 1, wait: ['constructor'] }));
    const strange: Plan = { ...plan, members: odd, slots };
    expect(readPlanLease(stored(writePlanLease(strange, { group, resourceVersion: undefined })), group)).toMatchObject({
      plan: strange,
    });
  });

  it('SH-13: reports a newer format, whatever else the plan contains', () => {
    const newer = withPlan({ format: 2, runs: 'another notation', members: {} });
    expect(readPlanLease(newer, group)).toEqual({ type: 'newer', format: 2, resourceVersion: '7' });
  });

  it('SH-14: refuses the plan of another group or slot count with an error that names both', () => {
    const read = (its: ShardGroup) => () => readPlanLease(lease, its);
    expect(read({ ...group, slots: 32 })).toThrow(ShardGroupMismatchError);
    expect(read({ ...group, slots: 32 })).toThrow(
      /"copier" with 16 slots, and this replica to "copier" with 32 slots/u,
    );
    expect(read({ ...group, name: 'mover' })).toThrow(/"copier" with 16 slots, and this replica to "mover"/u);
  });

  it('SH-14: names the controllers of the replica that wrote it, at most 50 with 63 characters each', () => {
    const controllers = new Set([...Array.from({ length: 60 }, (_, n) => `c${n} uid`), `a${'x'.repeat(100)} cluster`]);
    const many = stored(writePlanLease(plan, { group: { ...group, controllers }, resourceVersion: undefined }));
    const read = readPlanLease(many, group);
    const found = read.type === 'plan' ? (read.controllers ?? []) : [];
    expect(found).toHaveLength(50);
    expect(found.slice(0, 2)).toEqual([`a${'x'.repeat(62)} cluster`, 'c0 uid']);
  });

  it('SH-14: keeps the controllers of the plan that it replaces if the replica has none', () => {
    const options = { resourceVersion: undefined, controllers: ['copier uid'] };
    const controllersIn = (its: ShardGroup) => {
      const read = readPlanLease(stored(writePlanLease(plan, { ...options, group: its })), its);
      return read.type === 'plan' ? read.controllers : undefined;
    };
    expect(controllersIn(group)).toEqual(['copier uid']);
    expect(controllersIn({ ...group, controllers: new Set(['cleaner cluster']) })).toEqual(['cleaner cluster']);
  });

  it('refuses to write a plan that names a stranger', () => {
    const slots = plan.slots.map((slot) => ({ ...slot, wait: ['stranger'] }));
    expect(() => writePlanLease({ ...plan, slots }, { group, resourceVersion: undefined })).toThrow(
      'stranger is not a member of the plan',
    );
  });

  it('has less than 64 KB with 1,024 slots and 50 members, even if all slots differ', () => {
    const many = Array.from(
      { length: 50 },
      (_, n) => `config-copier-6d5f7c9b8-${String(n).padStart(5, '0')}-0123456789`,
    );
    const nameOf = (n: number) => many[n % 50] ?? '';
    const slots = Array.from({ length: 1_024 }, (_, slot) => ({
      owner: nameOf(slot),
      since: 1_000_000_000 - slot,
      next: nameOf(slot + 1 + (slot % 49)),
      // Each slot waits for another set, of 25 members on average.
      wait: many.filter(
        (name, n) => name !== nameOf(slot) && ((slot * 2_654_435_761 + n * 40_503 * slot) >>> 7) % 2 === 0,
      ),
    }));
    const large: Plan = { epoch: 1_000_000_000, id: '0123456789', members: many, slots };
    const its = { ...group, slots: 1_024 };
    const written = stored(writePlanLease(large, { group: its, resourceVersion: undefined }));
    const text = written.metadata.annotations?.[PLAN_ANNOTATION] ?? '';
    expect((JSON.parse(text) as { waits: unknown[] }).waits.length).toBeGreaterThan(500);
    expect(text.length).toBeLessThan(64_000);
    expect(readPlanLease(written, its)).toMatchObject({ plan: large });
  });
});

const records = (slots: number): fc.Arbitrary<MemberRecord> => {
  const set = fc.array(fc.nat(slots - 1), { maxLength: 40 }).map((list) => new Set(list));
  return fc.record(
    {
      name: fc.stringMatching(/^[a-z0-9]{1,20}-[0-9a-f]{10}$/u),
      acked: fc.record({ epoch: fc.nat(2 ** 30), id: fc.string({ maxLength: 20 }) }),
      held: set,
      warm: set,
      state: fc.constantFrom('active', 'leaving'),
      weight: fc.double({ min: 0, max: 1_000_000, noNaN: true }).map((weight) => weight + 0),
      formats: fc.array(fc.nat(10), { maxLength: 5 }),
      leaseDuration: fc.integer({ min: 1, max: 86_400_000 }),
      margin: fc.integer({ min: 1, max: 86_400_000 }),
      sequence: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    },
    { noNullPrototype: true },
  );
};

describe('the Lease of a member', () => {
  const options = { group, resourceVersion: undefined, renewTime: '2026-01-01T00:00:00.000000Z' };

  it('returns each record as it was written', () => {
    fc.assert(
      fc.property(
        fc.nat(12).chain((bits) => fc.tuple(fc.constant(2 ** bits), records(2 ** bits))),
        ([slots, record]) => {
          const its = { ...group, slots };
          const { name } = record;
          const lease = stored(writeMemberLease(record, { ...options, group: its }));
          expect(isMemberLease(lease, its)).toBe(true);
          expect(readMemberLease(lease, its)).toEqual({ type: 'member', name, record, resourceVersion: '7' });
          const out = stored(writeMemberLease(record, { ...options, group: its, isOut: true }));
          expect(readMemberLease(out, its)).toEqual({ type: 'out', name, resourceVersion: '7' });
        },
      ),
      { numRuns: 40 },
    );
  });

  const record: MemberRecord = {
    name: 'a-0',
    acked: { epoch: 1, id: 'x' },
    held: new Set([15]),
    warm: new Set(),
    state: 'active',
    weight: 1,
    formats: [1],
    leaseDuration: 12_000,
    margin: 3_000,
    sequence: 4,
  };

  /** Returns the loads as other members read them. */
  const readBack = (loads: ReadonlyMap<number, number>) => {
    const its = { ...group, slots: 4_096 };
    const read = readMemberLease(stored(writeMemberLease({ ...record, loads }, { ...options, group: its })), its);
    return read.type === 'member' ? read.record.loads : undefined;
  };

  it('SH-8: keeps each load within one step of its scale, which is 9 %, in any unit', () => {
    const unit = fc.double({ min: -290, max: 290, noNaN: true }).map((exponent) => 10 ** exponent);
    const relative = fc.dictionary(fc.nat(4_095).map(String), fc.double({ min: 1, max: 2 ** 31, noNaN: true }));
    fc.assert(
      fc.property(unit, relative, (one, loads) => {
        const written = new Map(Object.entries(loads).map(([slot, load]) => [Number(slot), load * one]));
        const found = readBack(written);
        expect(found?.size).toBe(written.size);
        for (const [slot, load] of written) {
          expect(Math.abs(Math.log2((found?.get(slot) ?? 0) / load))).toBeLessThanOrEqual(1 / 8);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('SH-8: keeps the largest load exact, counts far smaller ones as almost none, and leaves out 0', () => {
    const found = readBack(
      new Map([
        [0, 5e300],
        [1, 1e-9],
        [2, 0],
        [3, Number.NaN],
      ]),
    );
    expect([...(found?.keys() ?? [])]).toEqual([0, 1]);
    expect(found?.get(0)).toBe(5e300);
    expect(found?.get(1)).toBeLessThan(5e291);
    expect(readBack(new Map([[0, 0]]))).toEqual(new Map());
  });

  const lease = stored(writeMemberLease(record, options));
  const annotations = lease.metadata.annotations ?? {};
  const content = JSON.parse(annotations[MEMBER_ANNOTATION] ?? '') as Record<string, unknown>;
  const withText = (text: string) => withAnnotations(lease, { ...annotations, [MEMBER_ANNOTATION]: text });
  const withRecord = (changes: Record<string, unknown>) => withText(JSON.stringify({ ...content, ...changes }));
  const withSequence = (text: string) => withAnnotations(lease, { ...annotations, [SEQUENCE_ANNOTATION]: text });

  const broken: Record<string, Lease> = {
    'no annotation': withAnnotations(lease, {}),
    'a huge text': withText('1'.repeat(200_001)),
    'text that is not JSON': withText('NaN'),
    'a number': withText('1'),
    'no sequence': withAnnotations(lease, { [MEMBER_ANNOTATION]: annotations[MEMBER_ANNOTATION] ?? '' }),
    'a sequence of text': withSequence('four'),
    'sequence 0': withSequence('0'),
    'a sequence of NaN': withSequence('NaN'),
    'a sequence that is not exact': withSequence('1e300'),
    'the name of another member': withRecord({ name: 'b-0' }),
    'another holder': { ...lease, spec: { holderIdentity: '__proto__' } },
    'no holder': { ...lease, spec: {} },
    'a negative weight': withRecord({ weight: -1 }),
    'a weight of null (NaN)': withRecord({ weight: Number.NaN }),
    'an enormous weight': withRecord({ weight: 1e308 }),
    'an unknown state': withRecord({ state: '__proto__' }),
    'no lease duration': withRecord({ leaseDuration: undefined }),
    'an endless lease duration': withRecord({ leaseDuration: 1e12 }),
    'an acknowledged epoch that no later one can follow': withRecord({
      acked: { epoch: Number.MAX_SAFE_INTEGER, id: 'x' },
    }),
    'a lease duration of 0': withRecord({ leaseDuration: 0 }),
    'slots of another number': withRecord({ held: 'AAAA' }),
    'slots that are not base64': withRecord({ held: 'A!A!A=' }),
    'loads of another number of slots': withRecord({ loads: { largest: 1, slots: 'AAAA' } }),
    'loads that are not an object': withRecord({ loads: 'AAAA' }),
    'loads without a largest one': withRecord({ loads: { slots: '' } }),
    'loads with a negative largest one': withRecord({ loads: { largest: -1, slots: '' } }),
    'loads with a largest one that is not finite': withText(
      JSON.stringify({ ...content, loads: { largest: 1, slots: '' } }).replace('"largest":1', '"largest":1e999'),
    ),
    'a format of text': withRecord({ format: 'one' }),
    'many formats': withRecord({ formats: Array.from({ length: 101 }, () => 1) }),
  };

  for (const [what, hostile] of Object.entries(broken)) {
    it(`is unreadable with ${what}`, () => {
      const read = readMemberLease(hostile, group);
      expect(read).toMatchObject({ type: 'unreadable', name: 'a-0', resourceVersion: '7' });
      expect('reason' in read && read.reason.length > 0 && read.reason.length <= 200).toBe(true);
    });
  }

  it('SH-17: is readable with the longest duration of a group that has grown', () => {
    const grown = grownRules({ ...DEFAULT_RULES, leaseDuration: MAX_DURATION, margin: MAX_DURATION }, 10_000);
    const { leaseDuration, margin } = grown;
    const long = stored(writeMemberLease({ ...record, leaseDuration, margin }, options));
    expect(readMemberLease(long, group)).toMatchObject({ type: 'member', record: { leaseDuration: 864_000_000 } });
  });

  it('is unreadable with a slot that does not exist', () => {
    const its = { ...group, slots: 4 };
    const small = stored(writeMemberLease({ ...record, held: new Set([7]) }, { ...options, group: its }));
    expect(readMemberLease(small, its)).toMatchObject({ type: 'unreadable', reason: 'slot 7 is not one of 4' });
  });

  it('SH-14: is unreadable if it belongs to another group or slot count, and names both', () => {
    const reason = (read: ReturnType<typeof readMemberLease>) => (read.type === 'unreadable' ? read.reason : read.type);
    expect(reason(readMemberLease(lease, { ...group, slots: 8 }))).toBe(
      'it belongs to the group "copier" with 16 slots, and this replica to "copier" with 8 slots',
    );
    expect(reason(readMemberLease(lease, { ...group, name: 'mover9' }))).toContain('"mover9" with 16 slots');
    const long = reason(readMemberLease(withRecord({ group: 'x'.repeat(100_000) }), group));
    expect(long).toMatch(/"x{64}" with/u);
    expect(long.length).toBeLessThanOrEqual(200);
  });
});
