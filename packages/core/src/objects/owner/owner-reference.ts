import type { DeepReadonly, ObjectMeta, OwnerReference } from '@mcr/client';
import { objectKeyText, parseApiVersion } from '@mcr/client';
import { AlreadyOwnedError } from './already-owned-error.ts';
import { foreignOwnerError } from './foreign-owner-error.ts';
import type { Owner } from './home.ts';
import { foreignHomeOf, knownHomeOf, rememberOwner } from './home.ts';
import { InvalidOwnerError } from './invalid-owner-error.ts';

/** An object that is changed in place and then written: a draft, never an object of the cache. */
export interface Owned {
  metadata: Partial<ObjectMeta>;
}

/** Options of {@link setControllerReference} and {@link setOwnerReference}. */
export interface OwnerReferenceOptions {
  /** Whether a foreground deletion of the owner waits for the deletion of this object. Default: true. */
  readonly blockOwnerDeletion?: boolean;
}

/**
 * Makes `owner` the controller of `object`, the only owner that reconciles it. The object is deleted with its
 * controller. (Upstream: `controllerutil.SetControllerReference`.)
 *
 * @throws {AlreadyOwnedError} if `object` has another controller.
 * @throws {InvalidOwnerError} if the owner is in another namespace or another cluster, or has not been created yet. The
 * cluster of a new object is known only when it is written; then the write rejects with this error.
 */
export function setControllerReference(owner: Owner, object: Owned, options: OwnerReferenceOptions = {}): void {
  const { blockOwnerDeletion = true } = options;
  const reference: OwnerReference = { ...referenceTo(owner, object), controller: true, blockOwnerDeletion };
  const present = controllerOf(object);
  if (present && !isSameObject(present, reference)) throw new AlreadyOwnedError(textOf(object), present);
  put(object, reference);
  rememberOwner(reference, owner);
}

/**
 * Makes `owner` an owner of `object`. The object is deleted when all of its owners are deleted. (Upstream:
 * `controllerutil.SetOwnerReference`.)
 *
 * @param options.blockOwnerDeletion Default: false.
 * @throws {InvalidOwnerError} in the same cases as {@link setControllerReference}.
 */
export function setOwnerReference(owner: Owner, object: Owned, options: OwnerReferenceOptions = {}): void {
  const reference: OwnerReference = { ...referenceTo(owner, object), ...options };
  put(object, reference);
  rememberOwner(reference, owner);
}

/**
 * Returns the owner reference of the object's controller, or `undefined` if it has none. (Upstream:
 * `metav1.GetControllerOf`.)
 */
export function controllerOf(object: DeepReadonly<Owned>): Readonly<OwnerReference> | undefined {
  return object.metadata.ownerReferences?.find(({ controller }) => controller);
}

/** Whether the object has a controller. (Upstream: `controllerutil.HasControllerReference`.) */
export function hasControllerReference(object: DeepReadonly<Owned>): boolean {
  return controllerOf(object) !== undefined;
}

/**
 * Removes `owner` from the owners of `object`, and returns whether it was one. (Upstream:
 * `controllerutil.RemoveOwnerReference`.)
 */
export function removeOwnerReference(owner: Owner, object: Owned): boolean {
  const present = object.metadata.ownerReferences ?? [];
  const { apiVersion, kind, metadata } = owner;
  const others = present.filter((reference) => !isSameObject(reference, { apiVersion, kind, name: metadata.name }));
  if (others.length === present.length) return false;
  object.metadata.ownerReferences = others;
  return true;
}

/**
 * Creates a reference. An owner is in the namespace of its object or cluster-scoped; otherwise the garbage collector
 * would not find it.
 */
function referenceTo(owner: Owner, object: Owned): OwnerReference {
  const { apiVersion, kind, metadata } = owner;
  const { namespace, name, uid } = metadata;
  const text = `${kind} ${objectKeyText(metadata)}`;
  if (namespace && !object.metadata.namespace) {
    throw new InvalidOwnerError(
      `${text} cannot own ${textOf(object)}: a cluster-scoped object cannot have a namespaced owner`,
    );
  }
  if (namespace && namespace !== object.metadata.namespace) {
    throw new InvalidOwnerError(`${text} cannot own ${textOf(object)}: both must be in one namespace`);
  }
  if (!uid) throw new InvalidOwnerError(`${text} cannot own ${textOf(object)}: it has no uid; create it first`);
  const home = knownHomeOf(object);
  const other = home && foreignHomeOf(owner, home);
  if (other) throw foreignOwnerError(owner, other, textOf(object), home);
  return { apiVersion, kind, name, uid };
}

/** Adds a reference, or replaces the reference to the same object, which may have another version or UID. */
function put({ metadata }: Owned, reference: OwnerReference): void {
  const references = (metadata.ownerReferences ??= []);
  const index = references.findIndex((present) => isSameObject(present, reference));
  if (index < 0) references.push(reference);
  else references[index] = reference;
}

/** Compares group, kind and name, because the version may change, and the UID if the object is created again. */
function isSameObject(
  a: Pick<OwnerReference, 'apiVersion' | 'kind' | 'name'>,
  b: Pick<OwnerReference, 'apiVersion' | 'kind' | 'name'>,
): boolean {
  const group = ({ apiVersion }: Pick<OwnerReference, 'apiVersion'>) => parseApiVersion(apiVersion).group;
  return a.name === b.name && a.kind === b.kind && group(a) === group(b);
}

function textOf({ metadata: { namespace = '', name = '' } }: Owned): string {
  return objectKeyText({ namespace, name: name || 'the object' });
}
