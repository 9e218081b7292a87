import { generateKeyPairSync } from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { SigningKey } from '../access/signing-key.ts';
import { LogicalCluster } from '../logical-cluster.ts';
import { builtInTypes } from '../resources/kind-table.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { Paused } from '../turn.ts';
import { done, PAUSE } from '../turn.ts';
import { creating } from './create.ts';
import type { Steps } from './steps.ts';
import { modifying } from './update.ts';

/** Runs a write, and counts its pauses. */
function pausesOf(steps: Steps<StoredObject>): number {
  let pauses = 0;
  for (let step = steps.next(); !step.done; step = steps.next()) if (step.value === PAUSE) pauses += 1;
  return pauses;
}

describe('pauses of writes', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('K-30: a write that takes longer than a turn pauses between its parts', () => {
    const cluster = LogicalCluster.inProcess({
      historyLimit: 10,
      bookmarkInterval: 60_000,
      signingKey: new SigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
      types: builtInTypes,
    });
    const type = cluster.registry.storedType('configmaps');
    if (!type) throw new Error('configmaps are not served');
    const body = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { b: 'c' } };
    const options = { dryRun: false, manager: 'test' };
    const target = { type, namespace: 'default', name: 'a' };
    const change = (current: object): Paused<object> => done({ ...current, data: { b: 'd' } });
    // Each look at the clock takes longer than a turn.
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => (now += 10));
    expect(pausesOf(creating(cluster, { type, namespace: 'default', body, ...options }))).toBe(5);
    expect(pausesOf(modifying(cluster, { target, part: 'object', change, ...options }))).toBe(6);
    jest.spyOn(performance, 'now').mockReturnValue(now);
    expect(pausesOf(modifying(cluster, { target, part: 'object', change: done<unknown>, ...options }))).toBe(0);
  });
});
