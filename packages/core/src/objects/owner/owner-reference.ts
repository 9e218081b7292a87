import type { DeepReadonly, ObjectMeta, OwnerReference } from '@mcr/client';
import { objectKeyText, parseApiVersion } from '@mcr/client';
import { AlreadyOwnedError } from './already-owned-error.ts';
import { foreignOwnerError } from './foreign-owner-error.ts';
import type { Owner } from './home.ts';
import { foreignHomeOf, knownHomeOf, rememberOwner } from './home.ts';
import { InvalidOwnerError } from './invalid-owner-error.ts';

/** An object to be changed in place and written: a draft, never an object of the cache. */
export interface Owned {
  metadata: Partial<ObjectMeta>;
}

export interface OwnerReferenceOptions {
  /** Keeps the owner, when it is deleted in the foreground, until this object is gone. Default: true. */
  readonly blockOwnerDeletion?: boolean;
}

/**
 * Makes `owner` the controller of `object`: the one owner that reconciles it. The object is deleted with it.
 * (Upstream: `controllerutil.SetControllerReference`.)
 *
 * @throws {AlreadyOwnedError} when another controller has it.
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
 * Makes `owner` an owner of `object`, which is deleted when all its owners are.
 * (Upstream: `controllerutil.SetOwnerReference`.)
 *
 * @param options.blockOwnerDeletion default: false.
 * @throws {InvalidOwnerError} as {@link setControllerReference} does.
 */
export function setOwnerReference(owner: Owner, object: Owned, options: OwnerReferenceOptions = {}): void {
  const reference: OwnerReference = { ...referenceTo(owner, object), ...options };
  put(object, reference);
  rememberOwner(reference, owner);
}

/** Whether the object has a controller, whichever it is. (Upstream: `controllerutil.HasControllerReference`.) */
export function hasControllerReference(object: DeepReadonly<Owned>): boolean {
  return controllerOf(object) !== undefined;
}

/** Takes `owner` off the owners of `object`; whether it was one. (Upstream: `controllerutil.RemoveOwnerReference`.) */
export function removeOwnerReference(owner: Owner, object: Owned): boolean {
  const present = object.metadata.ownerReferences ?? [];
  const { apiVersion, kind, metadata } = owner;
  const others = present.filter((reference) => !isSameObject(reference, { apiVersion, kind, name: metadata.name }));
  if (others.length === present.length) return false;
  object.metadata.ownerReferences = others;
  return true;
}

function controllerOf({ metadata }: DeepReadonly<Owned>): Readonly<OwnerReference> | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller);
}

/** An owner is in the namespace of what it owns, or in none: elsewhere the garbage collector would not find it. */
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

/** In the place of a former reference to the same object, which may be of another version or uid. */
function put({ metadata }: Owned, reference: OwnerReference): void {
  const references = (metadata.ownerReferences ??= []);
  const index = references.findIndex((present) => isSameObject(present, reference));
  if (index < 0) references.push(reference);
  else references[index] = reference;
}

/** By group, kind and name, as the version may change, and the uid with an object made anew. */
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
