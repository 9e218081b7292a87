import { describe, expect, it } from '@jest/globals';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import { VerifiedObjects } from './verified-objects.ts';

const [cluster, again] = [{}, {}] as [Cluster, Cluster];
const object = { uid: 'u', resourceVersion: '1', digest: 'd', fields: undefined, applies: undefined };

describe('VerifiedObjects', () => {
  it('FP-4: requires a read of the record at first, and after an event about an object that is not known', () => {
    const verified = new VerifiedObjects();
    const owner = verified.of('one', cluster, 'a');
    expect(owner.mustReadRecord).toBe(true);
    owner.objects.set('x', object);
    owner.mustReadRecord = false;
    verified.observed('one', 'a', 'x');
    verified.observed('one', 'b', 'y');
    verified.observed('two', 'a', 'y');
    expect(owner.mustReadRecord).toBe(false);
    verified.observed('one', 'a', 'y');
    expect(owner.mustReadRecord).toBe(true);
  });

  it('FP-4: forgets an owner, a cluster that left, and an earlier instance of a cluster', () => {
    const verified = new VerifiedObjects();
    const known = (instance = cluster) => verified.of('one', instance, 'a').objects.size;
    const set = () => verified.of('one', cluster, 'a').objects.set('x', object);
    set();
    expect(known()).toBe(1);
    verified.forgetOwner('one', 'a');
    expect(known()).toBe(0);
    set();
    verified.forgetCluster('one');
    expect(known()).toBe(0);
    set();
    expect([known(again), known()]).toEqual([0, 0]);
  });
});
