import { describe, expect, it } from '@jest/globals';
import { ConfigMap } from '@mcr/client';
import { enqueueRequestForObject } from './handler/enqueue-object.ts';
import { funcSource } from './source/func-source.ts';
import { kindSource } from './source/kind-source.ts';
import type { ControllerOptions } from '../options/controller-options.ts';
import { createController } from './create-controller.ts';
import { FakeManager } from './fake-manager.fixture.ts';
import { FakeMember } from './fake-member.fixture.ts';

describe('leader election and controllers', () => {
  const newStandby = (options: ControllerOptions) => {
    const fake = new FakeManager();
    const seen: string[] = [];
    const reconciler = async ({ name }: { readonly name: string }) => void seen.push(name);
    const controller = createController('test', fake.manager, { reconciler, ...options });
    void controller.watch(kindSource(ConfigMap, enqueueRequestForObject()));
    return { fake, seen, controller, informer: FakeMember.synced(ConfigMap).informer(ConfigMap) };
  };

  it('CT-15: runs in the process that leads, unless needLeaderElection is false', () => {
    expect(newStandby({}).controller.group).toBe('leader-elected');
    expect(newStandby({}).controller).toHaveProperty('warmUp', undefined);
    const { controller } = newStandby({ needLeaderElection: false, enableWarmup: true });
    expect(controller.group).toBe('other');
    expect(controller).toHaveProperty('warmUp', undefined);
  });

  it('CT-15: enableWarmup starts sources before election, and workers after', async () => {
    const { fake, seen, controller } = newStandby({ enableWarmup: true });
    const [warm, led] = [new AbortController(), new AbortController()];
    const member = FakeMember.synced(ConfigMap);
    const informer = member.informer(ConfigMap);
    informer.set({ name: 'x' });
    const warmedUp = controller.warmUp?.(warm.signal);
    await controller.engage('a', member, warm.signal);
    await fake.settle();
    expect(fake.observations.map(({ state }) => state)).toEqual(['syncing', 'synced']);
    expect(seen).toEqual([]);

    const ended = controller.run(led.signal);
    await fake.settle();
    expect(seen).toEqual(['x']);
    expect(informer.handlers.size).toBe(1);
    await warmedUp;
    led.abort();
    await ended;
    expect(informer.handlers.size).toBe(0);
    warm.abort();
  });

  it('CT-15: a warm-up in a process that never leads leaves nothing behind', async () => {
    const { fake, seen, controller } = newStandby({ enableWarmup: true });
    const stop = new AbortController();
    const member = FakeMember.synced(ConfigMap);
    await controller.engage('a', member, new AbortController().signal);
    const warmedUp = controller.warmUp?.(stop.signal);
    await fake.settle();
    expect(member.informer(ConfigMap).handlers.size).toBe(1);
    stop.abort();
    await warmedUp;
    expect(member.informer(ConfigMap).handlers.size).toBe(0);
    expect(seen).toEqual([]);
    expect(fake.clock.pendingTimers).toBe(0);
  });

  it('CT-15: a source that fails during warm-up stops the manager', async () => {
    const { controller } = newStandby({ enableWarmup: true });
    const error = new Error('no such queue');
    await controller.watch(funcSource(() => Promise.reject(error)));
    await expect(controller.warmUp?.(new AbortController().signal)).rejects.toBe(error);
  });
});
