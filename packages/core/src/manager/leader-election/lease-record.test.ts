import { describe, expect, it } from '@jest/globals';
import type { Lease } from '@mcr/client';
import { readRecord } from './lease-record.ts';

const metadata = { name: 'a', namespace: 'b', uid: 'u', resourceVersion: '7', creationTimestamp: '' };
const leaseOf = (spec: unknown) => ({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec }) as Lease;

describe('readRecord', () => {
  it('reads the fields of a record, with defaults for missing ones', () => {
    const spec = { holderIdentity: 'x', leaseDurationSeconds: 15, leaseTransitions: 2, acquireTime: 't' };
    const record = { holder: 'x', duration: 15_000, transitions: 2, acquireTime: 't', version: '7' };
    expect(readRecord(leaseOf(spec))).toEqual(record);
    const empty = { holder: '', duration: 0, transitions: 0, acquireTime: '', version: '7' };
    for (const absent of [undefined, null, {}, { holderIdentity: null }]) {
      expect(readRecord(leaseOf(absent))).toEqual(empty);
    }
  });

  it.each([
    ['spec.holderIdentity', { holderIdentity: { toString: 1 } }],
    ['spec.leaseDurationSeconds', { leaseDurationSeconds: '15' }],
    ['spec.leaseTransitions', { leaseTransitions: [] }],
    ['spec.acquireTime', { acquireTime: 7 }],
    ['spec', 'text'],
  ])('S-14: refuses a %s of another type', (field, spec) => {
    expect(() => readRecord(leaseOf(spec))).toThrow(`lease: ${field} is not of type `);
  });
});
