import type { DeepReadonly, Kind, KubernetesObject, ObjectKey, ObjectMeta } from '@mcr/client';
import { checkKind, foundText, kindText, objectKeyText } from '@mcr/client';

/**
 * An object that is changed in place. A new object has only its name and namespace, so every other field may be
 * missing.
 */
export type Mutable<T extends KubernetesObject> = Partial<Omit<T, 'metadata'>> & {
  metadata: Partial<ObjectMeta> & Pick<ObjectMeta, 'name'>;
};

/** Changes an object to its desired state. It is called again with a newer object after a conflict. */
export type Mutate<T extends KubernetesObject> = (object: Mutable<T>) => void | Promise<void>;

/** Result of a write. (Upstream: `controllerutil.OperationResult`.) */
export interface WriteOutcome<T extends KubernetesObject> {
  readonly result: 'created' | 'updated' | 'unchanged';
  /** The object returned by the server, or the object that was read if nothing was written. */
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
 * Returns a copy of `current`, or a new object with `key`, after `mutate`.
 *
 * @throws {TypeError} if `mutate` changed the name or namespace, which identify the object.
 */
export async function mutated<T extends KubernetesObject>(
  current: DeepReadonly<T> | undefined,
  key: ObjectKey,
  mutate: Mutate<T>,
): Promise<Mutable<T>> {
  const { namespace, name } = key;
  // A copy has the type `Mutable<T>`, which the compiler cannot infer for a type parameter.
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
