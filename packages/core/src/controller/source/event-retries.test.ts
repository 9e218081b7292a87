import { afterEach, describe, expect, it } from '@jest/globals';
import { ConfigMap } from '@mcr/client';
import { FakeMember } from '../fake-member.fixture.ts';
import { RunningController } from '../running-controller.fixture.ts';
import { createFleet } from '../../fleet/status/create-fleet.ts';
import { enqueueMapped } from '../handler/enqueue-mapped.ts';
import type { EventHandler } from '../handler/event-handler.ts';
import { MAX_UNHANDLED } from './event-retries.ts';
import type { KindSourceOptions } from './kind-source.ts';
import { kindSource } from './kind-source.ts';

const running: RunningController[] = [];

afterEach(async () => {
  for (const controller of running.splice(0)) {
    await controller.stop();
    expect(controller.fake.clock.pendingTimers).toBe(0);
  }
});

/** Starts a controller with a cluster `a`, whose second watch of ConfigMaps has `handler`. */
async function watching(handler: EventHandler<ConfigMap>, options: KindSourceOptions<ConfigMap> = {}) {
  const controller = new RunningController();
  running.push(controller);
  await controller.controller.watch(kindSource<ConfigMap>(ConfigMap, handler, options));
  const member = FakeMember.synced(ConfigMap);
  const leave = await controller.engageMember('a', member);
  return { controller, informer: member.informer(ConfigMap), leave, fake: controller.fake };
}

/** Returns the status of the cluster `a` according to the observations of the controller. */
function statusOf({ fake: { clock, observations } }: RunningController) {
  const fleet = createFleet({ clock });
  fleet.recorder.phase('a', 'Engaged', 'everything watched in it has synced');
  for (const { cluster, ...observation } of observations) fleet.recorder.source(cluster, observation);
  fleet.recorder.healthy('a');
  return fleet.get('a');
}

describe('events that could not be handled', () => {
  it('CT-17: retries a mapping with backoff, and shows the failure in the fleet status', async () => {
    let failures = 3;
    const { controller, informer, fake } = await watching(
      enqueueMapped(async () => {
        if ((failures -= 1) >= 0) throw new Error('503 Service Unavailable');
        return [{ namespace: 'default', name: 'owner' }];
      }),
    );
    informer.set({ namespace: 'default', name: 'x' });
    await fake.settle();
    expect(statusOf(controller)).toMatchObject({
      phase: 'Degraded',
      reason: 'events of v1 ConfigMap (2) for controller test could not be handled, retrying: 503 Service Unavailable',
    });
    await controller.advance(7_000);
    expect(controller.seen).toContain('a/owner');
    expect(statusOf(controller)?.phase).toBe('Engaged');
    expect(fake.lines.filter(({ message }) => message.includes('event')).map((line) => line.level)).toEqual([
      'error',
      'debug',
      'debug',
      'info',
    ]);
  });

  it.each(['predicate', 'handler'])('CT-17: retries an event if a synchronous %s throws', async (part) => {
    let failures = 2;
    const fail = () => {
      if ((failures -= 1) >= 0) throw new Error('broken');
    };
    const { controller, informer } = await watching(
      (event, { queue }) => {
        if (part === 'handler') fail();
        queue.add({ clusterName: 'a', namespace: 'default', name: `of-${event.object.metadata.name}` });
      },
      {
        predicates: [
          () => {
            if (part === 'predicate') fail();
            return true;
          },
        ],
      },
    );
    informer.set({ namespace: 'default', name: 'x' });
    await controller.advance(3_000);
    expect(controller.seen.filter((name) => name === 'a/of-x')).toEqual(['a/of-x']);
  });

  it('CT-17: merges failed updates of an object into one event, from the first old state to the newest', async () => {
    let isBroken = false;
    let failures = 0;
    const mapped: string[] = [];
    const { controller, informer, fake } = await watching(
      enqueueMapped(async ({ metadata }) => {
        if (isBroken) {
          failures += 1;
          throw new Error('503');
        }
        mapped.push(metadata.resourceVersion);
        return [];
      }),
    );
    informer.set({ name: 'x' });
    await fake.settle();
    isBroken = true;
    for (let change = 0; change < 100; change += 1) informer.set({ name: 'x' });
    // An update is mapped twice, for the old and the new object.
    while (failures < 200) await fake.settle();
    isBroken = false;
    await controller.advance(1_000);
    expect(mapped).toEqual(['1', '1', '101']);
  });

  it('CT-17: a retry ends with the engagement', async () => {
    let calls = 0;
    const { controller, informer, leave, fake } = await watching(async () => {
      calls += 1;
      throw new Error('503');
    });
    informer.set({ name: 'x' });
    await fake.settle();
    leave();
    await controller.advance(600_000);
    expect(calls).toBe(1);
  });

  it('CT-17: keeps a limited number of events, and logs once that it drops others', async () => {
    const { informer, fake } = await watching(async () => Promise.reject(new Error('503')));
    for (let i = 0; i < MAX_UNHANDLED + 2; i += 1) informer.set({ name: `x${i}` });
    const dropped = () => fake.lines.filter(({ message }) => message.startsWith('too many failed events'));
    while (dropped().length < 2) await fake.settle();
    expect(dropped().map(({ level, fields }) => [level, fields['name']])).toEqual([
      ['error', 'x0'],
      ['debug', 'x1'],
    ]);
    expect(fake.lines.filter(({ level }) => level === 'error')).toHaveLength(2);
  });
});
