import { beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { RenewingSource, type Obtained } from './renewing-source.ts';

const { signal } = new AbortController();

let clock: VirtualClock;
/** Results of the next attempts. Later attempts return a credential that does not expire. */
let answers: (() => Promise<Obtained>)[];
let attempts: number;
let source: RenewingSource;
beforeEach(() => {
  clock = new VirtualClock();
  answers = [];
  attempts = 0;
  source = new RenewingSource(() => {
    attempts += 1;
    return answers.shift()?.() ?? Promise.resolve(numbered(attempts));
  }, clock);
});

function numbered(n: number, lifetime?: number): Obtained {
  return { credential: { headers: { authorization: String(n) } }, ...(lifetime !== undefined && { lifetime }) };
}

const current = async () => (await source.current(signal)).headers['authorization'];

describe('RenewingSource', () => {
  it('F-13: shares one attempt among concurrent requests', async () => {
    expect(await Promise.all([current(), current(), current()])).toEqual(['1', '1', '1']);
    expect(await current()).toBe('1');
  });

  it('F-13: renews credentials after 80 % of their lifetime', async () => {
    answers.push(() => Promise.resolve(numbered(1, 100_000)));
    await current();
    await clock.advance(79_999);
    expect(await current()).toBe('1');
    await clock.advance(1);
    expect(await current()).toBe('2');
  });

  it('renews credentials at most once a second, however short their lifetime is', async () => {
    answers.push(() => Promise.resolve(numbered(1, -5_000)));
    await current();
    await clock.advance(999);
    expect(await current()).toBe('1');
    await clock.advance(1);
    expect(await current()).toBe('2');
  });

  it('F-13: renews rejected credentials once, however many requests were rejected', async () => {
    const first = await source.current(signal);
    source.rejected(first);
    source.rejected(first);
    expect(await Promise.all([current(), current()])).toEqual(['2', '2']);
    source.rejected(first);
    expect(await current()).toBe('2');
    expect(attempts).toBe(2);
  });

  it('uses valid credentials while renewal fails, and rejects with the failure after they expired', async () => {
    const fail = () => Promise.reject(new Error('away'));
    answers.push(() => Promise.resolve(numbered(1, 100_000)), fail, fail, fail);
    await current();
    await clock.advance(80_000);
    expect(await current()).toBe('1');
    await clock.advance(19_999);
    expect(await current()).toBe('1');
    await clock.advance(1);
    await expect(current()).rejects.toThrow('away');
  });

  it('does not use rejected credentials while renewal fails', async () => {
    answers.push(
      () => Promise.resolve(numbered(1)),
      () => Promise.reject(new Error('away')),
    );
    source.rejected(await source.current(signal));
    await expect(current()).rejects.toThrow('away');
  });

  it('backs off between failed attempts, from 1 s up to 30 s', async () => {
    answers = Array.from({ length: 100 }, () => () => Promise.reject(new Error('away')));
    const instants: number[] = [];
    while (clock.now() < 120_000) {
      const before = attempts;
      await expect(current()).rejects.toThrow('away');
      if (attempts > before) instants.push(clock.now());
      await clock.advance(500);
    }
    const pauses = instants.slice(1).map((instant, i) => instant - (instants[i] ?? 0));
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it('backs off if the server rejects each new credential', async () => {
    for (let i = 0; i < 100; i += 1) source.rejected(await source.current(signal));
    expect(attempts).toBe(2);
    await clock.advance(1_000);
    expect(await current()).toBe('3');
  });

  it('continues an attempt for the other requests when one of them aborts', async () => {
    const answer = Promise.withResolvers<Obtained>();
    answers.push(() => answer.promise);
    const impatient = new AbortController();
    const [gone, patient] = [source.current(impatient.signal), current()];
    impatient.abort(new Error('enough'));
    await expect(gone).rejects.toThrow('enough');
    answer.resolve(numbered(1));
    expect(await patient).toBe('1');
  });
});
