import { describe, expect, it } from '@jest/globals';
import { ConfigMap } from '@mcr/client';
import { FakeManager } from '../controller/fake-manager.ts';
import { FakeMember } from '../controller/fake-member.ts';
import type { Request } from '../reconcile/request.ts';
import { controllerManagedBy } from './builder.ts';

describe('builder', () => {
  it('reconciles the objects of a kind in every engaged cluster', async () => {
    const fake = new FakeManager();
    const seen: Request[] = [];
    const controller = await controllerManagedBy(fake.manager)
      .for(ConfigMap)
      .build(async (request) => void seen.push(request));
    const running = new AbortController();
    const ended = controller.run(running.signal);
    const member = FakeMember.synced(ConfigMap);
    member.informer(ConfigMap).set({ namespace: 'shop', name: 'cart' });
    await controller.engage('eu-1', member, running.signal);
    await fake.settle();

    expect(fake.added).toEqual([controller]);
    expect(controller.name).toBe('configmap');
    expect(seen).toEqual([{ clusterName: 'eu-1', namespace: 'shop', name: 'cart' }]);
    running.abort();
    await ended;
    expect(fake.clock.pendingTimers).toBe(0);
  });
});
