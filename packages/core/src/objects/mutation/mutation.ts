import type { DeepReadonly, Kind, KubernetesObject, ObjectKey, ObjectMeta } from '@mcr/client';
import { checkKind, foundText, kindText, objectKeyText } from '@mcr/client';

/**
 * An object to be changed in place. When there is none yet, it has no more than its name and namespace: every other
 * field may be missing.
 */
export type Mutable<T extends KubernetesObject> = Partial<Omit<T, 'metadata'>> & {
  metadata: Partial<ObjectMeta> & Pick<ObjectMeta, 'name'>;
};

/** Brings an object into the state that it is to have. Called again with a newer object after a conflict. */
export type Mutate<T extends KubernetesObject> = (object: Mutable<T>) => void | Promise<void>;

/** What became of an object. (Upstream: `controllerutil.OperationResult`.) */
export interface WriteOutcome<T extends KubernetesObject> {
  readonly result: 'created' | 'updated' | 'unchanged';
  /** As the server answered it, or as it was read when there was nothing to write. */
  readonly object: DeepReadonly<T>;
}

/** @throws {TypeError} if an object cannot be read or changed with these arguments. */
export function checkMutation(call: string, client: unknown, kind: Kind<KubernetesObject>, mutate: unknown): void {
  if (typeof (Object(client) as { readonly find?: unknown }).find !== 'function') {
    throw new TypeError(
      `${call}: expected a client first, found ${foundText(client)}: pass one such as cluster.client${client instanceof Promise ? ', and await it' : ''}`,
    );
  }
  checkKind(call, kind);
  if (typeof mutate === 'function') return;
  throw new TypeError(
    `${call} of ${kindText(kind)}: expected a function that changes the object, found ${foundText(mutate)}: pass it after the key`,
  );
}

/**
 * A copy of `current`, or an object that has only its key, after `mutate`.
 *
 * @throws {TypeError} when `mutate` changed the name or the namespace: that would be another object.
 */
export async function mutated<T extends KubernetesObject>(
  current: DeepReadonly<T> | undefined,
  key: ObjectKey,
  mutate: Mutate<T>,
): Promise<Mutable<T>> {
  const { namespace, name } = key;
  // A copy is of type `Mutable<T>`, which the compiler cannot see of a type parameter.
  const object = structuredClone(
    current ?? { metadata: { ...(namespace && { namespace }), name } },
  ) as unknown as Mutable<T>;
  await mutate(object);
  const { metadata } = object;
  if (metadata.name !== name || (metadata.namespace ?? '') !== (namespace ?? '')) {
    throw new TypeError(
      `the object is ${objectKeyText(metadata)} after the mutation: expected its name and namespace to stay ${objectKeyText(key)}`,
    );
  }
  return object;
}
