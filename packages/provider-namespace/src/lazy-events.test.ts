import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type {
  Cluster,
  DeepReadonly,
  EventHandler,
  InformerHandler,
  InformerUpdateEvent,
  Kind,
  KubernetesObject,
  ReconcileRequest,
} from '@mcr/core';
import {
  ConfigMap,
  createCluster,
  enqueueRequestForObject,
  enqueueRequestForOwner,
  kindSource,
  objectEvent,
  Secret,
  silentLogger,
  systemClock,
} from '@mcr/core';
import { decodedObject, hasChanged } from '@mcr/core/provider';
import { eventually } from '@mcr/core/testing';
import { createNamespaceProvider } from './namespace-provider.ts';

type Obj = DeepReadonly<KubernetesObject>;

const namespaces = Array.from({ length: 100 }, (_, index) => `tenant-${index}`);
const names = ['a', 'b', 'c'];

function objectOf(name: string, namespace?: string, resourceVersion = '1'): Obj {
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Secret', name: 'owner', uid: '' }];
  const key = namespace === undefined ? { name } : { namespace, name, ownerReferences };
  return { apiVersion: 'v1', kind: 'X', metadata: { ...key, uid: name, resourceVersion, creationTimestamp: '' } };
}

/** A host cluster whose namespaces have three objects each. It counts what is decoded of them. */
class CountingHost {
  readonly decodes = { objects: 0, metadata: 0 };
  /** Handlers of the shared informers of ConfigMaps. */
  readonly handlers: InformerHandler<KubernetesObject>[] = [];
  readonly #base = createCluster({ server: 'http://127.0.0.1:9' });
  readonly cluster: Cluster = new Proxy(this.#base, {
    get: (target, name) => (name === 'cache' ? this.#cache : (Reflect.get(target, name, target) as unknown)),
  });
  readonly #cache = {
    subscribe: async (kind: Kind<KubernetesObject>, handler: InformerHandler<KubernetesObject>) => {
      if (kind.kind === 'Namespace') {
        for (const name of namespaces) handler.onAdd?.({ ...decodedObject(objectOf(name)), initial: true });
      } else {
        this.handlers.push(handler);
        for (const namespace of namespaces)
          for (const name of names) handler.onAdd?.(this.event(objectOf(name, namespace)));
      }
      const store = {
        size: namespaces.length * names.length,
        count: () => names.length,
        lazy: ({ namespace, name }: { readonly namespace: string; readonly name: string }) =>
          this.event(objectOf(name, namespace)),
      };
      return { synced: Promise.resolve(), informer: { store }, remove: () => undefined };
    },
  };

  /** Returns an event of any type, with getters that count. */
  event(object: Obj, old = object) {
    const { decodes } = this;
    const whole = (of: Obj) => {
      decodes.objects += 1;
      return of;
    };
    const metadata = (of: Obj) => {
      decodes.metadata += 1;
      return of.metadata;
    };
    return {
      key: decodedObject(object).key,
      initial: true,
      finalStateUnknown: false,
      get object() {
        return whole(object);
      },
      get oldObject() {
        return whole(old);
      },
      get metadata() {
        return metadata(object);
      },
      get oldMetadata() {
        return metadata(old);
      },
      hasChanged: (field: Parameters<NonNullable<InformerUpdateEvent<KubernetesObject>['hasChanged']>>[0]) =>
        hasChanged({ metadata: object.metadata, oldMetadata: old.metadata }, field),
    };
  }

  async close(): Promise<void> {
    await this.#base.run(AbortSignal.abort());
  }
}

describe('events behind a hundred namespaces', () => {
  let host: CountingHost;
  let end: AbortController;
  let running: Promise<void>;
  let requests: Set<string>;

  beforeEach(() => {
    host = new CountingHost();
    end = new AbortController();
    requests = new Set();
  });
  afterEach(async () => {
    end.abort();
    await running;
    await host.close();
  });

  /** Watches ConfigMaps in every namespace, until the requests of all initial objects have been added. */
  async function watch(handler: EventHandler<KubernetesObject>, expected: number): Promise<void> {
    const add = ({ clusterName, namespace, name }: ReconcileRequest) =>
      void requests.add(`${clusterName} ${namespace}/${name}`);
    const engage = async (clusterName: string, cluster: Cluster) => {
      const context = { clusterName, cluster, queue: { add }, signal: end.signal, log: silentLogger };
      const source = kindSource<KubernetesObject>(ConfigMap, handler);
      await (
        await source.start({ ...context, clock: systemClock })
      ).synced;
    };
    running = createNamespaceProvider({ cluster: host.cluster }).run({ engage }, end.signal);
    await eventually(() => expect(requests.size).toBe(expected));
  }

  it('PC-4: a controller that enqueues keys decodes nothing', async () => {
    await watch(enqueueRequestForObject(), 300);
    expect(requests).toContain('tenant-42 default/b');
    expect(host.decodes).toEqual({ objects: 0, metadata: 0 });

    requests.clear();
    const [shared] = host.handlers;
    expect(host.handlers).toHaveLength(1);
    shared?.onUpdate?.(host.event(objectOf('a', 'tenant-7', '2'), objectOf('a', 'tenant-7')));
    shared?.onDelete?.(host.event(objectOf('b', 'tenant-8')));
    shared?.onAdd?.(host.event(objectOf('d', 'tenant-9')));
    expect([...requests]).toEqual(['tenant-7 default/a', 'tenant-8 default/b', 'tenant-9 default/d']);
    expect(host.decodes).toEqual({ objects: 0, metadata: 0 });
  });

  it('PC-4: an owner handler decodes metadata only', async () => {
    await watch(enqueueRequestForOwner(Secret), 100);
    expect(requests).toContain('tenant-42 default/owner');
    expect(host.decodes).toEqual({ objects: 0, metadata: 300 });
  });

  it('a handler sees the inner form in each field', async () => {
    const seen: unknown[] = [];
    await watch((event, context) => {
      const { key, metadata, object } = event;
      seen.push([key.namespace, metadata.namespace, object.metadata.namespace, metadata === event.metadata]);
      expect(Object.isFrozen(key)).toBe(true);
      return enqueueRequestForObject()(objectEvent(event), context);
    }, 300);
    expect(seen).toHaveLength(300);
    for (const fields of seen) expect(fields).toEqual(['default', 'default', 'default', true]);
  });
});
