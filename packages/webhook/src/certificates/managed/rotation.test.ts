import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { IssuedCertificate } from './issued-certificate.ts';
import { missingHosts } from './issued-certificate.ts';
import { issue } from './issue.ts';
import type { RotationState, RotationStep } from './rotation.ts';
import { caBundleOf, firstState, nextState } from './rotation.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);
const policy = { hosts: ['webhooks.example.com'], lifetime: 12 * HOUR, overlap: HOUR, issue };

describe('the rotation of managed certificates', () => {
  let first: Extract<RotationState, { phase: 'steady' }>;
  let next: IssuedCertificate;
  beforeAll(async () => {
    first = await firstState({ ...policy, now: START });
    next = (await firstState({ ...policy, now: START + 8 * HOUR })).current;
  });

  const after = (state: RotationState, hours: number, changes: Partial<RotationStep> = {}) =>
    nextState(state, { ...policy, now: START + hours * HOUR, isPending: false, ...changes });
  const trusting = (serveAfter: number) =>
    ({ phase: 'trusting', current: first.current, next, serveAfter: START + serveAfter * HOUR }) as const;

  it('WH-3: issues certificates that only their CA has signed', () => {
    const [ca, certificate] = [new X509Certificate(first.current.ca), new X509Certificate(first.current.cert)];
    expect(certificate.checkIssued(ca)).toBe(true);
    expect(certificate.verify(ca.publicKey)).toBe(true);
    expect(certificate.ca).toBe(false);
    expect(new X509Certificate(next.cert).verify(ca.publicKey)).toBe(false);
    expect(missingHosts(first.current, ['webhooks.example.com', '127.0.0.1'])).toEqual(['127.0.0.1']);
  });

  it('WH-3: starts a rotation after two thirds of the lifetime, or when the certificate lacks a host', async () => {
    expect(await after(first, 7.9)).toBeUndefined();
    expect(await after(first, 8)).toMatchObject({
      phase: 'trusting',
      current: first.current,
      serveAfter: START + 9 * HOUR,
    });
    const moved = await after(first, 1, { hosts: ['127.0.0.1'] });
    expect(moved).toMatchObject({ phase: 'trusting', serveAfter: START + 2 * HOUR });
  });

  it('WH-3: keeps the hosts of other replicas, so that replicas with different hosts do not rotate in turns', async () => {
    const hosts = ['127.0.0.1', '::1', 'new.example.com'];
    const moved = await after(first, 1, { hosts });
    const current = moved?.phase === 'trusting' ? moved.next : first.current;
    for (const each of [hosts, policy.hosts]) {
      expect(await after({ phase: 'steady', current }, 1, { hosts: each })).toBeUndefined();
    }
    const renewed = await after({ phase: 'steady', current }, 10, { hosts });
    expect(renewed?.phase === 'trusting' && missingHosts(renewed.next, [...hosts, ...policy.hosts])).toEqual(
      policy.hosts,
    );
  });

  it('WH-3: trusts both CAs before and after the next certificate is served', async () => {
    const state = trusting(9);
    expect(caBundleOf(state)).toBe(first.current.ca.trimEnd() + '\n' + next.ca.trimEnd() + '\n');
    expect(await after(state, 8.9)).toBeUndefined();
    const replacing = await after(state, 9);
    expect(replacing).toEqual({
      phase: 'replacing',
      current: next,
      previousCa: first.current.ca,
      dropAfter: START + 10 * HOUR,
    });
    if (replacing === undefined) return;
    expect(caBundleOf(replacing)).toContain(first.current.ca.trimEnd());
    expect(await after(replacing, 9.9)).toBeUndefined();
    expect(await after(replacing, 10)).toEqual({ phase: 'steady', current: next });
  });

  it('WH-3: waits for clusters that do not trust the next CA, until the certificate is about to expire', async () => {
    expect(await after(trusting(9), 8.2, { isPending: true })).toBeUndefined();
    expect(await after(trusting(9), 8.6, { isPending: true })).toMatchObject({ serveAfter: START + 9.6 * HOUR });
    expect(await after(trusting(9), 9.5, { isPending: true })).toMatchObject({ serveAfter: START + 10.5 * HOUR });
    expect(await after(trusting(10.9), 10.9, { isPending: true })).toMatchObject({ serveAfter: START + 11 * HOUR });
    expect(await after(trusting(11), 11, { isPending: true })).toMatchObject({ phase: 'replacing' });
  });

  it('WH-3: replaces a certificate that has expired without an overlap', async () => {
    const state = await after(first, 13);
    expect(state).toMatchObject({ phase: 'trusting' });
    expect(state && (await after(state, 13))).toMatchObject({ phase: 'replacing' });
  });

  it('WH-3: replaces a certificate that is not valid yet at once: a clock was ahead when it was created', async () => {
    const { current: early } = await firstState({ ...policy, now: START + 48 * HOUR });
    const isPending = true;
    const state = await after({ phase: 'steady', current: early }, 0);
    expect(state).toMatchObject({ phase: 'trusting', current: early, serveAfter: START });
    const replacing = state && (await after(state, 0, { isPending }));
    expect(replacing).toMatchObject({ phase: 'replacing', previousCa: early.ca, dropAfter: START + HOUR });
    expect(replacing && (await after(replacing, 0, { isPending }))).toBeUndefined();

    const previousCa = first.current.ca;
    const dropped = { phase: 'replacing', current: early, previousCa, dropAfter: START + 49 * HOUR } as const;
    expect(await after(dropped, 0)).toEqual({ phase: 'steady', current: early });
    const waiting = { phase: 'trusting', current: first.current, next: early, serveAfter: START } as const;
    expect(await after(waiting, 0)).toEqual(first);
  });

  it('WH-3: rotates in time, also if the instants in the Secret are far away', async () => {
    const far = Date.UTC(9999, 0, 1);
    const replacing = { phase: 'replacing', current: first.current, previousCa: next.ca, dropAfter: far } as const;
    expect(await after(replacing, 7.9)).toBeUndefined();
    expect(await after(replacing, 8)).toEqual(first);
    const state = { ...trusting(0), serveAfter: far };
    expect(await after(state, 10.9)).toBeUndefined();
    expect(await after(state, 11)).toMatchObject({ phase: 'replacing', current: next });
  });
});
