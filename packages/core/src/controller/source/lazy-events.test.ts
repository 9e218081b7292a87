import { afterEach, describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '@mcr/client';
import { ConfigMap, Namespace } from '@mcr/client';
import { FakeMember } from '../fake-member.fixture.ts';
import { enqueueMapped } from '../handler/enqueue-mapped.ts';
import { enqueueRequestForObject } from '../handler/enqueue-object.ts';
import { enqueueRequestForOwner } from '../handler/enqueue-owner.ts';
import type { EventHandler } from '../handler/event-handler.ts';
import {
  annotationChanged,
  generationChanged,
  labelSelector,
  resourceVersionChanged,
} from '../predicate/predicates.ts';
import { RunningController } from '../running-controller.fixture.ts';
import type { KindSourceOptions } from './kind-source.ts';
import { kindSource } from './kind-source.ts';

const running: RunningController[] = [];

afterEach(async () => {
  for (const controller of running.splice(0)) await controller.stop();
});

/** Starts a controller with a source for ConfigMaps, in a cluster `a` that has synced with three of them. */
async function watching(handler: EventHandler<KubernetesObject>, options: KindSourceOptions<KubernetesObject> = {}) {
  const controller = new RunningController();
  running.push(controller);
  const Counted = { ...ConfigMap, kind: 'Counted' };
  await controller.controller.watch(kindSource<KubernetesObject>(Counted, handler, options));
  const member = FakeMember.synced(ConfigMap);
  const informer = member.informer(Counted);
  for (const name of ['x', 'y', 'z']) informer.set({ namespace: 'default', name }, { labels: { app: 'shop' } });
  informer.sync();
  await controller.engageMember('a', member);
  await controller.fake.settle();
  return { controller, informer, member };
}

/** Changes one object, deletes another, and lets a resync pass. */
async function change({ controller, informer }: Awaited<ReturnType<typeof watching>>): Promise<void> {
  informer.set({ namespace: 'default', name: 'x' }, { labels: { app: 'shop' }, generation: 2 });
  informer.delete({ namespace: 'default', name: 'y' });
  await controller.advance(70_000);
}

describe('events of a source', () => {
  it('PC-4: a controller that enqueues keys decodes nothing', async () => {
    const source = await watching(enqueueRequestForObject(), {
      predicates: [resourceVersionChanged],
      resyncPeriod: 60_000,
    });
    expect(source.controller.seen.toSorted()).toEqual(['a/x', 'a/y', 'a/z']);
    await change(source);
    expect(source.controller.seen.length).toBeGreaterThan(3);
    expect(source.informer.decodes).toEqual({ objects: 0, metadata: 0 });
  });

  it('PC-4: predicates on versions, generations, labels and annotations do not decode an object', async () => {
    const predicates = [resourceVersionChanged, generationChanged, annotationChanged];
    const source = await watching(enqueueRequestForObject(), { predicates, resyncPeriod: 60_000 });
    await change(source);
    expect(source.informer.decodes).toEqual({ objects: 0, metadata: 0 });

    const selecting = await watching(enqueueRequestForObject(), { predicates: [labelSelector('app=shop')] });
    expect(selecting.informer.decodes).toEqual({ objects: 0, metadata: 3 });
  });

  it('PC-4: an owner handler decodes metadata only', async () => {
    const source = await watching(enqueueRequestForOwner(Namespace));
    expect(source.informer.decodes).toEqual({ objects: 0, metadata: 3 });
    await change(source);
    expect(source.informer.decodes).toEqual({ objects: 0, metadata: 6 });
  });

  it('PC-4: a mapping function and a predicate decode the objects that they read', async () => {
    const mapping = await watching(enqueueMapped(({ metadata }) => [metadata]));
    expect(mapping.informer.decodes).toEqual({ objects: 3, metadata: 0 });
    const filtering = await watching(enqueueRequestForObject(), {
      predicates: [({ key }) => key.name === 'x', ({ object }) => object.metadata.name === 'x'],
    });
    expect(filtering.informer.decodes).toEqual({ objects: 1, metadata: 0 });
  });

  it('applies a projection once, to the objects that are read', async () => {
    const projected: string[] = [];
    const { informer } = await watching(
      (event) => {
        if (event.type !== 'update') return;
        expect([event.object.metadata.name, event.metadata.name, event.key.name]).toEqual(['p-x', 'p-x', 'p-x']);
      },
      {
        project: (object) => {
          projected.push(object.metadata.name);
          return { ...object, metadata: { ...object.metadata, name: `p-${object.metadata.name}` } };
        },
        predicates: [({ type }) => type === 'update'],
      },
    );
    expect(projected).toEqual([]);
    informer.set({ namespace: 'default', name: 'x' });
    // The priority of an update needs both versions.
    expect(projected).toEqual(['x', 'x']);
    expect(informer.decodes).toEqual({ objects: 2, metadata: 0 });
  });

  it('CT-17: retries an event whose projection fails, in a handler that is synchronous or not', async () => {
    for (const read of [enqueueRequestForObject(), enqueueMapped(async ({ metadata }) => [metadata])]) {
      let isBroken = true;
      const { controller } = await watching(read, {
        project: (object) => {
          if (isBroken) throw new Error('broken');
          return object;
        },
      });
      expect(controller.seen).toEqual([]);
      const { fields } = controller.fake.lines.find(({ level }) => level === 'error') ?? {};
      expect(fields).toMatchObject({ kind: 'v1 Counted', namespace: 'default', name: 'x', error: new Error('broken') });
      isBroken = false;
      await controller.advance(2_000);
      expect(controller.seen.toSorted()).toEqual(['a/x', 'a/y', 'a/z']);
    }
  });

  it('CT-17: a merged update has the first old object and the last new one, and decodes them when they are read', async () => {
    let isBroken = true;
    const seen: unknown[] = [];
    const { controller, informer } = await watching((event) => {
      if (event.type !== 'update') return;
      if (isBroken) throw new Error('broken');
      seen.push([event.oldMetadata.generation, event.metadata.generation, event.oldObject.metadata.generation]);
    });
    for (const generation of [1, 2, 3, 4]) informer.set({ namespace: 'default', name: 'x' }, { generation });
    expect(informer.decodes).toEqual({ objects: 0, metadata: 0 });
    isBroken = false;
    await controller.advance(2_000);
    expect(seen).toEqual([[undefined, 4, undefined]]);
  });
});
