import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type {
  Client,
  DeepReadonly,
  DeleteCollectionOptions,
  DeleteOptions,
  Draft,
  FieldIndexer,
  GetOptions,
  IndexExtractor,
  Kind,
  KubernetesList,
  KubernetesObject,
  ListOptions,
  ObjectKey,
  PatchType,
  StatusWriter,
  WriteOptions,
} from '@mcr/client';
import { ApiError, checkIndex, checkWholeKind, indexFunction, kindText, objectKeyText, Shard } from '@mcr/client';
import { checkCallOptions, deepFreeze, listFromStore, unknownIndex, type ListedStore } from '@mcr/client/testing';
import type { WriteFence } from '../fleet/fence/write-fence.ts';
import { applyMergePatch } from '../objects/mutation/merge-patch.ts';

/** A stored object of any kind. */
interface Stored extends KubernetesObject {
  status?: unknown;
}

/**
 * A client with objects in memory, for unit tests of reconcilers. Resource versions, conflicts, generations, finalizers
 * and merge patches work as on an API server. Lists support the selectors of a cache: labels, indexes and metadata
 * fields. Returned objects are frozen as in a cache. `status` is a subresource of every kind, and other writes do not
 * change it. The client does not validate objects. It refuses server-side apply, other patches and subresources, tables
 * and watches; use `@mcr/envtest` for these. (Upstream: controller-runtime's `client/fake`.)
 */
export class InMemoryClient implements Client, FieldIndexer {
  readonly status: StatusWriter;
  readonly #objects = new Map<string, Stored>();
  /** Indexes by kind and name. */
  readonly #indexes = new Map<string, Map<string, IndexExtractor<KubernetesObject>>>();
  readonly #fenceOf: () => WriteFence | undefined;
  #version = 0;

  /**
   * @param objects the initial objects, each with its `apiVersion`, `kind` and optional status.
   * @param options.fenceOf called before each write. A closed fence refuses it. Default: none.
   */
  constructor(
    objects: readonly (Pick<KubernetesObject, 'apiVersion' | 'kind'> & Draft<KubernetesObject>)[] = [],
    { fenceOf = () => undefined }: { readonly fenceOf?: () => WriteFence | undefined } = {},
  ) {
    for (const object of objects) this.#put(object, this.#newborn(object, object));
    this.#fenceOf = fenceOf;
    this.status = {
      update: async (kind, object, options) => {
        checkWholeKind(kind);
        checkCallOptions('write', kind, options);
        const { status } = object as { readonly status?: unknown };
        return this.#change(kind, keyOf(object), object, (present) => ({ ...present, status }), options);
      },
      patch: async (kind, key, patch, type, options) => {
        checkCallOptions('write', kind, options);
        const status = mergePatch(patch, type)['status'];
        return this.#change(kind, key, patch, (present) => applyMergePatch(present, { status }) as Stored, options);
      },
      apply: () => this.apply(),
    };
  }

  async get<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey, options?: GetOptions): Promise<DeepReadonly<T>> {
    checkCallOptions('get', kind, options);
    return deepFreeze(structuredClone(this.#present(kind, key))) as unknown as DeepReadonly<T>;
  }

  async find<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    options?: GetOptions,
  ): Promise<DeepReadonly<T> | undefined> {
    checkCallOptions('get', kind, options);
    return this.#objects.has(textOf(kind, key)) ? this.get(kind, key) : undefined;
  }

  async list<T extends KubernetesObject>(
    kind: Kind<T>,
    options: ListOptions = {},
  ): Promise<DeepReadonly<KubernetesList<T>>> {
    checkCallOptions('list', kind, options);
    const shard = options.shardSelector && new Shard(options.shardSelector);
    const objects = [...this.#objects.values()]
      .filter((object) => object.apiVersion === kind.apiVersion && object.kind === kind.kind)
      .filter(({ metadata }) => shard?.has(metadata) ?? true)
      .map((object) => deepFreeze(structuredClone<KubernetesObject>(object)));
    const store = storeOf(objects, this.#indexes.get(kindText(kind)));
    const list = await listFromStore<KubernetesObject>(
      kind,
      { store, lastSyncedResourceVersion: String(this.#version) },
      options,
    );
    return deepFreeze(list) as unknown as DeepReadonly<KubernetesList<T>>;
  }

  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    const indexes = this.#indexes.get(kindText(kind)) ?? new Map<string, IndexExtractor<KubernetesObject>>();
    const index = checkIndex(kind, name, indexes.get(name), extract as IndexExtractor<KubernetesObject>);
    this.#indexes.set(kindText(kind), indexes.set(name, index));
  }

  async create<T extends KubernetesObject>(
    kind: Kind<T>,
    object: DeepReadonly<Draft<T>>,
    options?: WriteOptions,
  ): Promise<T> {
    checkWholeKind(kind);
    checkCallOptions('write', kind, options);
    this.#fenceOf()?.check();
    const { status: _, ...draft } = object as DeepReadonly<Draft<Stored>>;
    const newborn = this.#newborn(kind, draft);
    if (this.#objects.has(textOf(kind, newborn.metadata))) throw refusal(409, 'AlreadyExists', kind, newborn.metadata);
    return this.#put(kind, newborn, options);
  }

  async update<T extends KubernetesObject>(
    kind: Kind<T>,
    object: DeepReadonly<Draft<T>>,
    options?: WriteOptions,
  ): Promise<T> {
    checkWholeKind(kind);
    checkCallOptions('write', kind, options);
    const draft = object as DeepReadonly<Stored>;
    const change = ({ metadata, status }: Stored): Stored => {
      const { uid, creationTimestamp, deletionTimestamp, generation } = metadata;
      const kept = {
        uid,
        creationTimestamp,
        ...(deletionTimestamp && { deletionTimestamp }),
        ...(generation && { generation }),
      };
      const { status: _, ...copy } = structuredClone(draft) as Stored;
      return { ...copy, metadata: { ...copy.metadata, ...kept }, ...(status !== undefined && { status }) };
    };
    return this.#change(kind, draft.metadata, draft, change, options);
  }

  async patch<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    patch: unknown,
    type: PatchType,
    options?: WriteOptions,
  ): Promise<T> {
    checkCallOptions('write', kind, options);
    const { status: _, ...rest } = mergePatch(patch, type);
    return this.#change(kind, key, patch, (present) => applyMergePatch(present, rest) as Stored, options);
  }

  async delete<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey, options: DeleteOptions = {}): Promise<void> {
    checkCallOptions('delete', kind, options);
    const { preconditions = {}, ...rest } = options;
    const { uid, resourceVersion } = preconditions;
    const { metadata } = this.#present(kind, key);
    if ((uid ?? metadata.uid) !== metadata.uid) throw refusal(409, 'Conflict', kind, key);
    const deletionTimestamp = metadata.deletionTimestamp ?? new Date().toISOString();
    const change = (present: Stored): Stored => ({ ...present, metadata: { ...present.metadata, deletionTimestamp } });
    this.#change(kind, key, { metadata: { resourceVersion } }, change, rest);
  }

  async deleteCollection<T extends KubernetesObject>(
    kind: Kind<T>,
    options: DeleteCollectionOptions = {},
  ): Promise<void> {
    checkCallOptions('deleteCollection', kind, options);
    const { namespace, labelSelector, fieldSelector, ...rest } = options;
    const { items } = await this.list(kind, {
      ...(namespace !== undefined && { namespace }),
      ...(labelSelector !== undefined && { labelSelector }),
      ...(fieldSelector !== undefined && { fieldSelector }),
    });
    for (const { metadata } of items as readonly KubernetesObject[]) await this.delete(kind, metadata, rest);
  }

  async apply(): Promise<never> {
    throw unsupported('server-side apply');
  }

  subresource(name: string): never {
    throw unsupported(`the subresource ${name}`);
  }

  async table(): Promise<never> {
    throw unsupported('table');
  }

  watch(): never {
    throw unsupported('watch');
  }

  /** Has no effect, because the client has no credentials. */
  onCredentials(): () => void {
    return () => undefined;
  }

  #present(kind: Kind<KubernetesObject>, key: ObjectKey): Stored {
    const object = this.#objects.get(textOf(kind, key));
    if (!object) throw refusal(404, 'NotFound', kind, key);
    return object;
  }

  /** @param request object or patch, which may contain a resource version as a precondition. */
  #change<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    request: unknown,
    change: (present: Stored) => Stored,
    options?: WriteOptions,
  ): T {
    this.#fenceOf()?.check();
    const present = this.#present(kind, key);
    const { metadata = {} } = request as { readonly metadata?: { readonly resourceVersion?: string | undefined } };
    const { resourceVersion = present.metadata.resourceVersion } = metadata;
    if (resourceVersion !== present.metadata.resourceVersion) throw refusal(409, 'Conflict', kind, key);
    return this.#put(kind, nextGeneration(present, change(structuredClone(present))), options);
  }

  /** Stores an object, or deletes it if it has a deletion timestamp and no finalizer. */
  #put<T extends KubernetesObject>(kind: Kind<T>, object: Stored, { dryRun = false }: WriteOptions = {}): T {
    const { apiVersion, kind: name } = kind;
    if (dryRun) return { ...object, apiVersion, kind: name } as unknown as T;
    const resourceVersion = String((this.#version += 1));
    const stored: Stored = { ...object, apiVersion, kind: name, metadata: { ...object.metadata, resourceVersion } };
    if (stored.metadata.deletionTimestamp && !stored.metadata.finalizers?.length) {
      this.#objects.delete(textOf(kind, stored.metadata));
    } else {
      this.#objects.set(textOf(kind, stored.metadata), stored);
    }
    return structuredClone(stored) as unknown as T;
  }

  #newborn(
    kind: Pick<Kind<KubernetesObject>, 'apiVersion' | 'kind'>,
    draft: DeepReadonly<Draft<KubernetesObject>>,
  ): Stored {
    const { apiVersion, kind: name } = kind;
    const copy = structuredClone(draft) as Draft<KubernetesObject>;
    const metadata = {
      name: `${copy.metadata.generateName ?? ''}${randomUUID().slice(0, 5)}`,
      uid: randomUUID(),
      resourceVersion: '',
      creationTimestamp: new Date().toISOString(),
      generation: 1,
      ...copy.metadata,
    };
    return { ...copy, apiVersion, kind: name, metadata };
  }
}

/** Increases the generation if anything but metadata and status changed, or if a deletion started. */
function nextGeneration(before: Stored, after: Stored): Stored {
  // Cloned, because the result of a patch may have no prototype.
  const rest = ({ metadata: { deletionTimestamp }, status: _, ...fields }: Stored) =>
    structuredClone({ ...fields, deletionTimestamp });
  const { generation } = before.metadata;
  if (generation === undefined || isDeepStrictEqual(rest(before), rest(after))) return after;
  return { ...after, metadata: { ...after.metadata, generation: generation + 1 } };
}

function textOf({ apiVersion, kind }: Pick<Kind<KubernetesObject>, 'apiVersion' | 'kind'>, key: ObjectKey): string {
  return `${apiVersion} ${kind} ${objectKeyText(key)}`;
}

/** Returns what lists read of a store that holds these objects. */
function storeOf(
  objects: readonly DeepReadonly<KubernetesObject>[],
  indexes: ReadonlyMap<string, IndexExtractor<KubernetesObject>> = new Map(),
): ListedStore<KubernetesObject> {
  const valuesOf = (name: string): ReturnType<typeof indexFunction<KubernetesObject>> => {
    const extract = indexes.get(name);
    if (!extract) throw unknownIndex(name, [...indexes.keys()]);
    return indexFunction(extract);
  };
  return {
    select({ namespace, indexes: lookups = [], matchesKey, matchesLabels }) {
      const values = lookups.map(({ name, value }) => ({ of: valuesOf(name), value }));
      return objects.filter(
        (object) =>
          (namespace === undefined || (object.metadata.namespace ?? '') === namespace) &&
          (matchesKey?.(object.metadata) ?? true) &&
          (matchesLabels?.(object.metadata.labels) ?? true) &&
          values.every(({ of, value }) => of(object).includes(value)),
      );
    },
  };
}

/** Returns the key of an object. The compiler cannot access fields of a deeply read-only type parameter. */
function keyOf(object: unknown): ObjectKey {
  return (object as KubernetesObject).metadata;
}

function mergePatch(patch: unknown, type: PatchType): Readonly<Record<string, unknown>> {
  if (type !== 'merge') throw unsupported(`a ${type} patch`);
  return patch as Record<string, unknown>;
}

function refusal(code: number, reason: string, kind: Kind<KubernetesObject>, key: ObjectKey): ApiError {
  return new ApiError({ code, reason, message: `${kindText(kind)} ${objectKeyText(key)}: ${reason}` });
}

function unsupported(what: string): TypeError {
  return new TypeError(`${what} is not supported in memory: test with a control plane of @mcr/envtest`);
}
