import { describe, expect, it } from '@jest/globals';
import { mayWrite, slotPhase } from './membership.ts';
import { DEFAULT_RULES } from './rules.ts';
import { Script } from './script.fixture.ts';

const ACK = (epoch: number) => ({ epoch, id: `plan-${epoch}` });

/** A member `a` that acts on slot 0, while `b` acts on slot 1. */
function acting(): Script {
  const script = new Script('a');
  script.put('b', { acked: ACK(1) });
  script.setPlan(1, [
    { owner: 'a', since: 1, wait: [] },
    { owner: 'b', since: 1, wait: [] },
  ]);
  script.settle();
  script.advance(400);
  expect(slotPhase(script.state, 0)).toBe('active');
  return script;
}

describe('transition', () => {
  it('SH-1: a member that finds neither a plan nor members owns all slots within 2 s', () => {
    const script = new Script('a');
    script.settle();
    script.advance(1_000);
    expect([0, 1].map((slot) => mayWrite(script.state, slot, script.now))).toEqual([true, true]);
  });

  it('SH-2: a member acts on a slot only after each member in wait acknowledged the plan without holding it', () => {
    const script = acting();
    script.setPlan(2, [
      { owner: 'a', since: 1, wait: [] },
      { owner: 'a', since: 2, wait: ['b'] },
    ]);
    script.read();
    expect(slotPhase(script.state, 1)).toBe('warming');
    script.put('b', { acked: ACK(2), held: new Set([1]) });
    script.read();
    expect(slotPhase(script.state, 1)).toBe('warming');
    script.put('b', { acked: ACK(2) });
    script.read();
    expect(slotPhase(script.state, 1)).toBe('active');
  });

  it('SH-2: a lost slot is acknowledged as held and drains with an open fence', () => {
    const script = acting();
    script.setPlan(2, [
      { owner: 'b', since: 2, wait: ['a'] },
      { owner: 'b', since: 1, wait: [] },
    ]);
    const renewal = script.read().find(({ type }) => type === 'renew');
    expect(renewal).toMatchObject({ record: { acked: { epoch: 2 }, held: new Set([0]) } });
    expect(slotPhase(script.state, 0)).toBe('draining');
    expect(mayWrite(script.state, 0, script.now)).toBe(true);
    script.progress('idle', 0);
    expect(mayWrite(script.state, 0, script.now)).toBe(false);
    expect(slotPhase(script.state, 0)).toBe('closing');
    script.progress('settled', 0);
    expect(slotPhase(script.state, 0)).toBe('elsewhere');
    expect(script.advance(200)).toContainEqual(expect.objectContaining({ type: 'renew' }));
    expect(script.members.get('a')).toMatchObject({ record: { held: new Set() } });
  });

  it('SH-2: a drain ends at its deadline, and an unanswered write at its own', () => {
    const script = acting();
    script.setPlan(2, [
      { owner: 'b', since: 2, wait: ['a'] },
      { owner: 'b', since: 1, wait: [] },
    ]);
    script.read();
    script.advance(9_900);
    expect(slotPhase(script.state, 0)).toBe('draining');
    script.advance(200);
    expect(slotPhase(script.state, 0)).toBe('closing');
    script.advance(5_000);
    expect(script.state.holds.has(0)).toBe(false);
  });

  it('SH-2: a slot that was lost and given back in the meantime is drained', () => {
    const script = acting();
    script.put('b', { acked: ACK(2) });
    script.setPlan(3, [
      { owner: 'a', since: 3, wait: ['b'] },
      { owner: 'b', since: 1, wait: [] },
    ]);
    script.read();
    expect(slotPhase(script.state, 0)).toBe('draining');
  });

  it('SH-2: the fence counts from when a renewal was sent', () => {
    const script = acting();
    script.now += 3_000;
    const sentAt = script.now;
    const request = script.send();
    expect(request?.type).toBe('renew');
    script.now += 1_500;
    if (request) script.answer(script.apply(request));
    expect(mayWrite(script.state, 0, sentAt + 8_999)).toBe(true);
    expect(mayWrite(script.state, 0, sentAt + 9_000)).toBe(false);
  });

  it('SH-3: a member whose answers of renewals are all lost keeps its fence open, because reads show its renewals', () => {
    const script = acting();
    for (const end = script.now + 60_000; script.now < end;) {
      const request = script.send();
      if (!request) {
        script.now += 100;
        script.event({ type: 'time' });
        continue;
      }
      const answer = script.apply(request);
      if (request.type !== 'renew') script.answer(answer);
      else {
        script.now += 2_000;
        script.answer({ type: 'failed', error: new Error('no answer') });
      }
      expect(mayWrite(script.state, 0, script.now)).toBe(true);
    }
  });

  it('SH-2: a renewal that a read shows counts from when it was sent, with the smallest window sent since', () => {
    const script = acting();
    script.now += 3_000;
    const sentAt = script.now;
    const { leaseDuration, margin } = DEFAULT_RULES;
    // The hub applies a renewal after the member gave it up and sent another one, with a smaller window.
    const late = script.send();
    script.now += 2_000;
    script.answer({ type: 'failed', error: new Error('no answer') });
    script.now += 1_000;
    const read = script.send();
    if (read) script.answer(script.apply(read));
    script.event({ type: 'rules', rules: { ...DEFAULT_RULES, leaseDuration: leaseDuration - 2_000 } });
    expect(script.send()?.type).toBe('renew');
    if (late) script.apply(late);
    script.answer({ type: 'conflict' });
    script.now += 200;
    const again = script.send();
    expect([late?.type, again?.type]).toEqual(['renew', 'read']);
    if (again) script.answer(script.apply(again));
    expect(script.state.fence).toEqual({ sentAt, window: leaseDuration - 2_000 - margin });
  });

  it('SH-4: an answer that arrives after the process was stopped does not open the fence', () => {
    const script = acting();
    script.now += 3_000;
    const request = script.send();
    script.now += 30_000;
    if (request) script.answer(script.apply(request));
    expect(mayWrite(script.state, 0, script.now)).toBe(false);
    expect(script.send()?.type).toBe('read');
  });

  it('SH-2: a member whose fence closed renews before it reads, and reads before it acts', () => {
    const script = acting();
    script.now += 10_000;
    script.event({ type: 'time' });
    expect(slotPhase(script.state, 0)).toBe('closing');
    script.progress('settled', 0);
    const renewal = script.send();
    expect(renewal?.type).toBe('renew');
    if (renewal) script.answer(script.apply(renewal));
    expect(slotPhase(script.state, 0)).toBe('warming');
    script.settle();
    expect(slotPhase(script.state, 0)).toBe('active');
  });

  it('SH-6: evicts a member whose Lease did not change for leaseDuration + margin, and takes its slots', () => {
    const script = acting();
    const early = script.advance(14_500);
    expect(early.filter(({ type }) => type === 'evict')).toEqual([]);
    const late = script.advance(2_500);
    expect(late.filter(({ type }) => type === 'evict')).toHaveLength(1);
    expect(slotPhase(script.state, 1)).toBe('active');
  });

  it('SH-11: does not evict after it was cut off itself', () => {
    const script = acting();
    script.now += 30_000;
    script.event({ type: 'time' });
    expect(script.settle().filter(({ type }) => type === 'evict')).toEqual([]);
    expect(script.advance(14_000).filter(({ type }) => type === 'evict')).toEqual([]);
  });

  it('SH-4: an evicted member ends, and may join again at once', () => {
    const script = acting();
    script.members.set('a', { type: 'out', name: 'a', resourceVersion: 'evicted' });
    script.read();
    expect(script.state.end).toMatchObject({ reason: 'evicted', rejoinAt: script.now });
    expect(mayWrite(script.state, 0, script.now)).toBe(false);
    expect(script.send()).toBeUndefined();
  });

  it.each<readonly [string, (script: Script) => void]>([
    [
      'the plan goes back',
      (script) =>
        script.setPlan(1, [
          { owner: 'a', since: 1, wait: [] },
          { owner: 'b', since: 1, wait: [] },
        ]),
    ],
    ['an epoch has another id', (script) => script.setPlan(2, script.plan?.slots ?? [], { id: 'other' })],
    ['the plan is missing', (script) => (script.plan = undefined)],
    ['its Lease is missing', (script) => script.members.delete('a')],
    ['its Lease is older than it wrote', (script) => script.put('a', { acked: ACK(2), sequence: 1 })],
  ])('SH-13: closes and stays silent if %s', (_, change) => {
    const script = acting();
    script.setPlan(2, script.plan?.slots ?? []);
    script.read();
    // No member has acknowledged epoch 2 in the changed hub.
    script.put('b', { acked: ACK(1) });
    change(script);
    script.now += 400;
    script.event({ type: 'hint' });
    script.settle();
    expect(script.state.end).toMatchObject({ reason: 'inconsistent', rejoinAt: script.now + 15_000 });
    expect(mayWrite(script.state, 0, script.now)).toBe(false);
  });

  it('SH-13: does not rewrite a plan of a newer format, and closes', () => {
    const script = acting();
    script.now += 200;
    script.event({ type: 'hint' });
    expect(script.send()?.type).toBe('read');
    const plan = { type: 'newer' as const, format: 2, resourceVersion: 'new' };
    script.answer({ type: 'snapshot', snapshot: { plan, members: new Map(script.members) } });
    expect(script.state.newerFormat).toBe(2);
    expect(mayWrite(script.state, 0, script.now)).toBe(false);
  });

  it('SH-13: a member that joins without a plan but with members waits before it acts under its own plan', () => {
    const script = new Script('a');
    script.put('b', { acked: ACK(4) });
    script.settle();
    const requests = script.advance(2_000);
    expect(requests.find(({ type }) => type === 'write plan')).toMatchObject({ plan: { epoch: 5, rewritten: 5 } });
    script.put('b', { acked: { epoch: 5, id: script.plan?.id ?? '' } });
    script.advance(13_000);
    expect([0, 1].map((slot) => slotPhase(script.state, slot))).not.toContain('active');
  });

  it('a member that leaves alone drains and releases its Lease at once', () => {
    const script = new Script('a');
    script.settle();
    script.advance(1_000);
    script.event({ type: 'leave' });
    script.advance(400);
    script.progress('idle', 0, 1);
    script.progress('settled', 0, 1);
    script.settle();
    expect(script.state.end).toMatchObject({ reason: 'released' });
    expect(script.members.get('a')?.type).toBe('out');
  });

  it('SH-11: a member that leaves while the hub does not answer ends after leaseDuration + margin', () => {
    const script = acting();
    script.event({ type: 'leave' });
    // Each request fails, and the fence closes meanwhile.
    const fail = (milliseconds: number) => {
      for (const end = script.now + milliseconds; script.now < end; script.now += 100) {
        if (script.send()) script.answer({ type: 'failed', error: new Error('no answer') });
        script.event({ type: 'time' });
      }
    };
    fail(14_500);
    expect(script.state.end).toBeUndefined();
    expect([0, 1].some((slot) => mayWrite(script.state, slot, script.now))).toBe(false);
    fail(1_000);
    expect(script.state.end).toMatchObject({ reason: 'released' });
    expect(script.members.get('a')?.type).toBe('member');
  });

  it('a member that leaves does not report that its lease was not renewed', () => {
    const script = new Script('a');
    script.settle();
    script.advance(1_000);
    script.event({ type: 'leave' });
    script.advance(400);
    script.progress('idle', 0, 1);
    script.progress('settled', 0, 1);
    script.settle();
    const types = script.actions.map(({ type }) => type);
    expect(types).toContain('ended');
    expect(types).not.toContain('fence closed');
  });

  it('SH-15: a refused deletion of a Lease is repeated after forgetAfter, and renewals go on meanwhile', () => {
    const script = acting();
    script.members.set('gone', { type: 'out', name: 'gone', resourceVersion: 'out' });
    const sentAt: number[] = [];
    let renewals = 0;
    for (const end = script.now + 190_000; script.now < end; script.now += 100) {
      // The other member stays in the group.
      if (script.now % 3_000 < 100) script.put('b', { acked: ACK(1) });
      script.event({ type: 'time' });
      for (let request = script.send(); request; request = script.send()) {
        if (request.type === 'renew') renewals += 1;
        if (request.type === 'forget') {
          sentAt.push(script.now);
          script.answer({ type: 'failed', error: new Error('forbidden') });
        } else script.answer(script.apply(request));
      }
    }
    expect(sentAt).toHaveLength(3);
    expect((sentAt[1] ?? 0) - (sentAt[0] ?? 0)).toBeGreaterThanOrEqual(60_000);
    expect(renewals).toBeGreaterThan(60);
    expect(slotPhase(script.state, 0)).toBe('active');
  });

  it('reads before it writes again after the answer of a renewal was lost', () => {
    const script = acting();
    script.now += 3_000;
    const request = script.send();
    expect(request?.type).toBe('renew');
    if (request) script.apply(request);
    script.answer({ type: 'failed', error: new Error('no answer') });
    expect(script.send()).toBeUndefined();
    script.now += 1_000;
    expect(script.send()?.type).toBe('read');
  });
});
