import type {
  Cache,
  DeepReadonly,
  InformerHandler,
  InformerScope,
  Kind,
  KubernetesObject,
  ObjectKey,
  ReadonlyStore,
  Registration,
} from '@mcr/client';
import { keyOf, kindText, objectKeyText } from '@mcr/client';
import { FakeCluster } from '../fleet/cluster/fake-cluster.fixture.ts';
import { CountedEvent, Decodes } from './counted-event.fixture.ts';

type Obj = DeepReadonly<KubernetesObject>;

/** An informer whose objects are set by the test. It notifies its handlers at once. */
export class FakeInformer {
  /** Number of decodes by the handlers. */
  readonly decodes = new Decodes();
  readonly handlers = new Set<InformerHandler<KubernetesObject>>();
  readonly #objects = new Map<string, Obj>();
  readonly #synced = Promise.withResolvers<void>();
  hasSynced = false;
  lastError: Error | undefined;
  /** Result of {@link staleFor}. */
  silence = 0;
  #version = 0;

  staleFor(): number {
    return this.silence;
  }

  sync(): void {
    this.hasSynced = true;
    for (const handler of this.handlers) this.#replay(handler);
    this.#synced.resolve();
  }

  /** Creates or changes an object. */
  set(key: ObjectKey, metadata: Partial<KubernetesObject['metadata']> = {}): Obj {
    const version = String((this.#version += 1));
    const object: Obj = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { uid: objectKeyText(key), creationTimestamp: '', resourceVersion: version, ...key, ...metadata },
    };
    const old = this.#objects.get(objectKeyText(key));
    this.#objects.set(objectKeyText(key), object);
    if (this.hasSynced) {
      for (const handler of this.handlers) {
        if (old) handler.onUpdate?.(new CountedEvent(this.decodes, object, { old }));
        else handler.onAdd?.(new CountedEvent(this.decodes, object));
      }
    }
    return object;
  }

  delete(key: ObjectKey): void {
    const object = this.#objects.get(objectKeyText(key));
    if (!object || !this.#objects.delete(objectKeyText(key))) return;
    for (const handler of this.handlers) handler.onDelete?.(new CountedEvent(this.decodes, object));
  }

  /** Delivers all objects again without changes. */
  resync(): void {
    for (const object of this.#objects.values())
      for (const handler of this.handlers) handler.onUpdate?.(new CountedEvent(this.decodes, object));
  }

  addHandler(handler: InformerHandler<KubernetesObject>): Registration {
    this.handlers.add(handler);
    if (this.hasSynced) this.#replay(handler);
    return {
      synced: this.#synced.promise,
      hasSynced: this.hasSynced,
      remove: () => void this.handlers.delete(handler),
    };
  }

  get store(): Pick<ReadonlyStore<KubernetesObject>, 'size' | 'get' | 'lazy' | 'list' | 'keys'> {
    return {
      size: this.#objects.size,
      get: (key) => this.#objects.get(objectKeyText(key)),
      lazy: (key) => {
        const object = this.#objects.get(objectKeyText(key));
        return object && new CountedEvent(this.decodes, object);
      },
      list: () => [...this.#objects.values()],
      keys: () => [...this.#objects.values()].map(({ metadata }) => keyOf(metadata)),
    };
  }

  #replay(handler: InformerHandler<KubernetesObject>): void {
    for (const object of this.#objects.values())
      handler.onAdd?.(new CountedEvent(this.decodes, object, { initial: true }));
  }
}

/** A cluster without connections, whose objects are set by the test. */
export class FakeMember extends FakeCluster {
  /** Requested informers, in order. */
  readonly asked: { readonly kind: string; readonly scope: InformerScope }[] = [];
  /** Kinds whose informers this cluster refuses. */
  readonly missing = new Set<string>();
  readonly #informers = new Map<string, FakeInformer>();

  override readonly cache: Cache = {
    subscribe: async (kind: Kind<KubernetesObject>, handler: InformerHandler<KubernetesObject>, scope = {}) => {
      this.asked.push({ kind: kindText(kind), scope });
      if (this.missing.has(kindText(kind))) throw new Error(`no kind ${kindText(kind)}`);
      const informer = this.informer(kind);
      return { ...informer.addHandler(handler), informer };
    },
  } as unknown as Cache;

  informer(kind: Kind<KubernetesObject>): FakeInformer {
    const text = kindText(kind);
    let informer = this.#informers.get(text);
    if (!informer) this.#informers.set(text, (informer = new FakeInformer()));
    return informer;
  }

  /** Creates a member whose kinds have synced. */
  static synced(...kinds: readonly Kind<KubernetesObject>[]): FakeMember {
    const member = new FakeMember();
    for (const kind of kinds) member.informer(kind).sync();
    return member;
  }
}
