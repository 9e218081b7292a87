import type { LookupAddress } from 'node:dns';
import { describe, expect, it, jest } from '@jest/globals';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { NameLookups } from './name-lookups.ts';
import { startThreadPool } from '../transport/thread-pool.fixture.ts';

const BOTH: readonly LookupAddress[] = [
  { address: '10.0.0.1', family: 4 },
  { address: 'fd00::1', family: 6 },
];

/** Lookups whose results the test resolves. */
function heldLookups() {
  const clock = new VirtualClock();
  const held = () => {
    const calls: PromiseWithResolvers<readonly LookupAddress[]>[] = [];
    const signals: AbortSignal[] = [];
    const ask = (_name: string, signal?: AbortSignal) => {
      const call = Promise.withResolvers<readonly LookupAddress[]>();
      calls.push(call);
      if (signal) signals.push(signal);
      return call.promise;
    };
    return { ask, calls, signals };
  };
  const system = held();
  const dns = held();
  return { clock, system, dns, names: new NameLookups({ clock, system: system.ask, dns: dns.ask }) };
}

describe('NameLookups', () => {
  it('F-12: uses the result of the system within a second, and does not query the DNS', async () => {
    const { clock, system, dns, names } = heldLookups();
    const answer = names.resolve('eu.test');
    await clock.advance(999);
    system.calls[0]?.resolve(BOTH);
    expect(await answer).toEqual(BOTH);
    expect(clock.pendingTimers).toBe(0);
    expect(dns.calls).toHaveLength(0);
  });

  it('F-12: queries the DNS after a second, and uses the first result', async () => {
    const { clock, system, dns, names } = heldLookups();
    const answer = names.resolve('eu.test');
    await clock.advance(1_000);
    dns.calls[0]?.resolve(BOTH);
    expect(await answer).toEqual(BOTH);
    expect(clock.pendingTimers).toBe(0);
    // No caller waits for the system's result any longer.
    system.calls[0]?.reject(new Error('EAI_AGAIN'));
    await clock.advance(0);
  });

  it('F-12: cancels the DNS query if the system responds first', async () => {
    const { clock, system, dns, names } = heldLookups();
    const answer = names.resolve('eu.test');
    await clock.advance(1_500);
    expect(dns.signals[0]?.aborted).toBe(false);
    system.calls[0]?.resolve(BOTH);
    expect(await answer).toEqual(BOTH);
    expect(dns.signals[0]?.aborted).toBe(true);
    dns.calls[0]?.reject(new Error('ECANCELLED'));
    await clock.advance(0);
  });

  it('F-12: ignores an error of the DNS, because the system also knows /etc/hosts', async () => {
    const { clock, system, dns, names } = heldLookups();
    const answer = names.resolve('hosts-file');
    await clock.advance(1_000);
    dns.calls[0]?.reject(new Error('ENOTFOUND'));
    await clock.advance(5_000);
    system.calls[0]?.resolve(BOTH);
    expect(await answer).toEqual(BOTH);
  });

  it('F-12: rejects with an error of the system, and the next caller starts a new lookup', async () => {
    const { clock, system, names } = heldLookups();
    const failure = Object.assign(new Error('getaddrinfo ENOTFOUND eu.test'), { code: 'ENOTFOUND' });
    const answer = names.resolve('eu.test');
    system.calls[0]?.reject(failure);
    await expect(answer).rejects.toBe(failure);
    expect(clock.pendingTimers).toBe(0);
    const next = names.resolve('eu.test');
    system.calls[1]?.resolve(BOTH);
    expect(await next).toEqual(BOTH);
  });

  it('F-12: shares one lookup and one DNS query among all callers of a name', async () => {
    const { clock, system, dns, names } = heldLookups();
    const answers = [names.resolve('eu.test')];
    await clock.advance(600);
    answers.push(names.resolve('eu.test'));
    await clock.advance(400);
    expect(dns.calls).toHaveLength(1);
    answers.push(names.resolve('eu.test'));
    await clock.advance(0);
    dns.calls[0]?.resolve(BOTH);
    expect(await Promise.all(answers)).toEqual([BOTH, BOTH, BOTH]);
    expect([system.calls.length, dns.calls.length]).toEqual([1, 1]);
  });

  it('F-12: lets a retry join a lookup that hangs, and queries the DNS again immediately', async () => {
    const { clock, system, dns, names } = heldLookups();
    const first = names.resolve('eu.test');
    await clock.advance(1_000);
    dns.calls[0]?.resolve(BOTH);
    await first;
    await clock.advance(60_000);
    const moved: readonly LookupAddress[] = [{ address: '10.0.0.2', family: 4 }];
    const retry = names.resolve('eu.test');
    await clock.advance(0);
    dns.calls[1]?.resolve(moved);
    expect(await retry).toEqual(moved);
    expect(system.calls).toHaveLength(1);
  });

  it('F-12: queues at most one lookup for each name, however often it is retried', async () => {
    const clock = new VirtualClock();
    const pool = startThreadPool(() => new Promise(() => undefined));
    const dns = jest.fn(() => Promise.reject(new Error('ETIMEOUT')));
    const names = new NameLookups({ clock, system: pool.lookup, dns });
    for (let retry = 0; retry < 20; retry += 1) {
      for (let index = 0; index < 8; index += 1) void names.resolve(`hanging-${index}.test`);
      await clock.advance(10_000);
    }
    expect([pool.running, pool.waiting]).toEqual([2, 6]);
  });

  it('F-12: resolves a name that only the system knows once a thread is free', async () => {
    const clock = new VirtualClock();
    const stuck = Promise.withResolvers<readonly LookupAddress[]>();
    const pool = startThreadPool((name) => (name === 'hosts-file' ? Promise.resolve(BOTH) : stuck.promise));
    const names = new NameLookups({ clock, system: pool.lookup, dns: () => Promise.reject(new Error('ENOTFOUND')) });
    const stuckNames = ['a.test', 'b.test'].map((name) => names.resolve(name));
    const answer = names.resolve('hosts-file');
    await clock.advance(15_000);
    stuck.reject(Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN' }));
    expect(await answer).toEqual(BOTH);
    expect(await Promise.allSettled(stuckNames)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  });

  it('F-12: uses the system resolver by default', async () => {
    expect(await new NameLookups().resolve('localhost')).toContainEqual({ address: '127.0.0.1', family: 4 });
  });
});
