import type { DeepReadonly, Kind, KubernetesObject, LazyObject, ObjectKey, RestMapper } from '@mcr/core';
import { ApiError } from '@mcr/core';
import { checkKind, kindText, parseApiVersion } from '@mcr/core/provider';
import { InnerObject } from './inner-event.ts';
import { INNER_NAMESPACE, type HasNamespace, type InnerObjects } from './inner-objects.ts';

/**
 * Converts between a namespace cluster (inside) and its host (outside). The namespace `default` inside is the namespace of the
 * host. Other namespaces and cluster-scoped objects do not exist inside.
 */
export class NamespaceView {
  readonly namespace: string;
  readonly #restMapper: RestMapper;
  readonly #innerObjects: InnerObjects;

  /** @param innerObjects shared by all views of a host cluster. */
  constructor(namespace: string, restMapper: RestMapper, innerObjects: InnerObjects) {
    this.namespace = namespace;
    this.#restMapper = restMapper;
    this.#innerObjects = innerObjects;
  }

  /** Whether the kind is namespaced, so that its objects can be inside. */
  async has(kind: Kind<KubernetesObject>): Promise<boolean> {
    checkKind('client call', kind);
    return (kind.scope ?? (await this.#restMapper.resolve(kind)).scope) === 'Namespaced';
  }

  /** Returns the inner form of an object. */
  inner<T extends HasNamespace>(object: T): T {
    return this.#innerObjects.of(object);
  }

  /** Returns the inner form of a cached object, converted when it is read. */
  innerLazy<T extends KubernetesObject>(object: LazyObject<T>): LazyObject<T> {
    return new InnerObject(object, this.#innerObjects);
  }

  /**
   * Returns the outer form of an object to write.
   *
   * @throws {ApiError} that `isInvalid` accepts, if the namespace is not `default`.
   */
  outer<T extends HasNamespace>(kind: Kind<KubernetesObject>, object: T): T {
    // A value without metadata stays as is: the client of the host cluster refuses it.
    const namespace = namespaceOf((Object(object) as Partial<HasNamespace>).metadata);
    if (!namespace) return object;
    if (namespace !== INNER_NAMESPACE) throw this.#invalid(kind, 'metadata.namespace', namespace);
    return { ...object, metadata: { ...object.metadata, namespace: this.namespace } };
  }

  /** Returns the outer form of a patch of any format. @throws {ApiError} like {@link outer}. */
  outerPatch(kind: Kind<KubernetesObject>, patch: unknown): unknown {
    if (Array.isArray(patch)) return patch.map((operation: unknown) => this.#outerOperation(kind, operation));
    return hasNamespace(patch) ? this.outer(kind, patch) : patch;
  }

  /** Returns the outer key of a write. @throws {ApiError} that `isInvalid` accepts, if the key is not inside. */
  async keyToWrite<Key extends { readonly namespace?: string }>(kind: Kind<KubernetesObject>, key: Key): Promise<Key> {
    await this.checkWritable(kind);
    const namespace = namespaceOf(key);
    // The client of the host reports the missing namespace.
    if (!namespace) return key;
    if (namespace !== INNER_NAMESPACE) throw this.#invalid(kind, 'metadata.namespace', namespace);
    return { ...key, namespace: this.namespace };
  }

  /** @throws {ApiError} that `isInvalid` accepts, if the kind is cluster-scoped. */
  async checkWritable(kind: Kind<KubernetesObject>): Promise<void> {
    if (await this.has(kind)) return;
    throw new ApiError({
      status: 'Failure',
      code: 422,
      reason: 'Invalid',
      message:
        `${kindText(kind)} is cluster-scoped, and this cluster is the namespace ${JSON.stringify(this.namespace)} of ` +
        'another one: write it there',
    });
  }

  /** Returns the outer key of a read; `undefined` if the object cannot be inside. */
  async keyToRead(kind: Kind<KubernetesObject>, key: ObjectKey): Promise<ObjectKey | undefined> {
    if (!(await this.has(kind))) return undefined;
    const namespace = namespaceOf(key);
    if (!namespace) return key;
    return namespace === INNER_NAMESPACE ? { ...key, namespace: this.namespace } : undefined;
  }

  /**
   * Returns the outer scope of a list, watch or deletion; `undefined` if it has no objects inside.
   *
   * @param options.namespace `''` or `undefined` for all namespaces inside.
   */
  async scopeToRead<Options extends { readonly namespace?: string; readonly fieldSelector?: string }>(
    kind: Kind<KubernetesObject>,
    options: Options,
  ): Promise<(Options & { readonly namespace: string }) | undefined> {
    const { namespace, fieldSelector = '', ...rest } = options;
    if (!(await this.has(kind)) || (namespace && namespace !== INNER_NAMESPACE)) return undefined;
    const outer = outerSelector(fieldSelector);
    if (outer === undefined) return undefined;
    // The rest and the removed fields together are the options.
    return { ...rest, namespace: this.namespace, ...(outer && { fieldSelector: outer }) } as Options & {
      readonly namespace: string;
    };
  }

  notFound({ apiVersion, kind, plural }: Kind<KubernetesObject>, { name }: ObjectKey): ApiError {
    const { group } = parseApiVersion(apiVersion);
    const resource = plural ?? `${kind.toLowerCase()}s`;
    return new ApiError({
      status: 'Failure',
      code: 404,
      reason: 'NotFound',
      message: `${group ? `${resource}.${group}` : resource} ${JSON.stringify(name)} not found`,
      details: { name, kind: resource, ...(group && { group }) },
    });
  }

  #outerOperation(kind: Kind<KubernetesObject>, operation: unknown): unknown {
    if (typeof operation !== 'object' || operation === null || !('path' in operation)) return operation;
    const { path, value } = operation as { readonly path: unknown; readonly value?: unknown };
    if (path === '/metadata/namespace' && typeof value === 'string') {
      if (value !== INNER_NAMESPACE) throw this.#invalid(kind, 'metadata.namespace', value);
      return { ...operation, value: this.namespace };
    }
    if (path === '/metadata' && hasNamespace({ metadata: value })) {
      return { ...operation, value: this.outer(kind, { metadata: value as HasNamespace['metadata'] }).metadata };
    }
    return operation;
  }

  #invalid(kind: Kind<KubernetesObject>, field: string, found: string): ApiError {
    const message = `${field}: Invalid value: ${JSON.stringify(found)}: this cluster has the namespace "${INNER_NAMESPACE}" only`;
    return new ApiError({
      status: 'Failure',
      code: 422,
      reason: 'Invalid',
      message: `${kindText(kind)}: ${message}`,
      details: { kind: kind.kind, causes: [{ reason: 'FieldValueInvalid', field, message }] },
    });
  }
}

/**
 * Returns a field selector without its terms on the namespace, which is always `default` inside; `undefined` if no object
 * inside can match.
 */
export function outerSelector(fieldSelector: string): string | undefined {
  const others: string[] = [];
  for (const term of fieldSelector.split(',')) {
    const [, operator, value] = /^\s*metadata\.namespace\s*(==|=|!=)\s*(.*?)\s*$/.exec(term) ?? [];
    if (operator === undefined) others.push(term);
    else if ((value === INNER_NAMESPACE) === (operator === '!=')) return undefined;
  }
  return others.join(',');
}

/** Returns the namespace of a key, metadata or options, of any type that plain JavaScript may pass. */
function namespaceOf(place: unknown): string | undefined {
  return (Object(place) as { readonly namespace?: string }).namespace;
}

function hasNamespace(value: unknown): value is HasNamespace {
  if (typeof value !== 'object' || value === null || !('metadata' in value)) return false;
  const { metadata } = value;
  return (
    typeof metadata === 'object' &&
    metadata !== null &&
    'namespace' in metadata &&
    typeof metadata.namespace === 'string'
  );
}

/** Returns the inner form of a cached object, which is shared and read-only. */
export function innerOf<T extends KubernetesObject>(view: NamespaceView, object: DeepReadonly<T>): DeepReadonly<T> {
  const inner: unknown = view.inner<DeepReadonly<KubernetesObject>>(object);
  return inner as DeepReadonly<T>;
}
