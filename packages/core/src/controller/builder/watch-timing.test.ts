import { afterEach, describe, expect, it } from '@jest/globals';
import { ConfigMap, Deployment, Secret } from '@mcr/client';
import { FakeMember } from '../fake-member.fixture.ts';
import { enqueueRequestForObject } from '../handler/enqueue-object.ts';
import { Scene } from './scene.fixture.ts';

describe('the timing of a watch', () => {
  let scene: Scene;
  afterEach(() => scene.stop());

  it('FP-6: for(), owns() and watches() debounce each request by their own time', async () => {
    scene = new Scene();
    const member = FakeMember.synced(ConfigMap, Deployment, Secret);
    const builder = scene.builder
      .for(ConfigMap, { debounce: 100 })
      .owns(Deployment, { debounce: 200 })
      .watches(Secret, enqueueRequestForObject(), { debounce: 300 });
    expect(await scene.run(builder, { a: member })).toEqual([]);
    const controller = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'u', controller: true };
    member.informer(ConfigMap).set({ name: 'own' });
    member.informer(Deployment).set({ name: 'owned' }, { ownerReferences: [controller] });
    member.informer(Secret).set({ name: 'watched' });
    for (const [time, names] of [
      [99, []],
      [1, ['own']],
      [99, []],
      [1, ['owner']],
      [99, []],
      [1, ['watched']],
    ] as const) {
      await scene.fake.clock.advance(time);
      expect(await scene.settle()).toEqual(names.map((name) => `cluster://a/${name}`));
    }
  });

  it('FP-6: a resync of for() reconciles the objects of each cluster again, once in each period, with jitter', async () => {
    scene = new Scene();
    const members = { a: FakeMember.synced(ConfigMap), b: FakeMember.synced(ConfigMap) };
    for (const member of Object.values(members)) member.informer(ConfigMap).set({ name: 'x' });
    const both = ['cluster://a/x', 'cluster://b/x'];
    expect(await scene.run(scene.builder.for(ConfigMap, { resyncPeriod: 100_000 }), members)).toEqual(both);
    // Each period varies by 10 %: the first pass is at 90 s to 110 s, the second one at 180 s to 220 s.
    for (const [before, pass] of [
      [89_999, 20_001],
      [69_999, 40_001],
    ] as const) {
      await scene.fake.clock.advance(before);
      expect(await scene.settle()).toEqual([]);
      await scene.fake.clock.advance(pass);
      expect((await scene.settle()).toSorted()).toEqual(both);
    }
  });
});
