import { randomUUID } from 'node:crypto';
import type { User } from '../access/user.ts';
import type { ManagedFieldsEntry } from '../apply/managed-fields.ts';
import { versionedTypes } from '../apply/field-types.ts';
import { trackUpdate } from '../apply/ownership.ts';
import { decodeObject, metadataErrors } from '../resources/metadata.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf, store } from '../resources/resource-type.ts';
import { now } from '../resources/timestamp.ts';
import { goDecode } from '../schema/go-decode.ts';
import { alreadyExists, badRequest, invalid, namespaceTerminating, notFound, StatusError } from '../status.ts';
import type { ApiObject, StoredObject } from '../storage/stored-object.ts';
import { objectKey } from '../storage/stored-object.ts';
import type { Backend, ManagedWriteOptions } from './target.ts';

/** Characters that the server appends to a `generateName`. Without vowels they form no words. */
const SUFFIX_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const LONGEST_NAME = 63;

export interface Creation extends ManagedWriteOptions {
  readonly type: ResourceType;
  /** Namespace in the URL; `''` for a cluster-scoped object. */
  readonly namespace: string;
  /** Creator of the object. Absent for the server itself. */
  readonly user?: User;
  /** Body as sent. */
  readonly body: unknown;
  /** Owners of the fields. Default: the manager owns all. */
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

/** @throws {StatusError} if the object is invalid or already exists. */
export function create(backend: Backend, creation: Creation): StoredObject {
  const { type, namespace, body, dryRun, warn } = creation;
  const decoded = decodeObject(type, body);
  const draft = type.builtIn ? goDecode(type, decoded) : decoded;
  // Other texts are ignored.
  if (/^0*[1-9]\d*$/.test(draft.metadata.resourceVersion)) throw versionOnCreate(type);
  placeInNamespace(draft, type, namespace);
  const object = type.view ? type.view.toStored(draft) : draft;

  const { metadata } = object;
  if (!metadata.name && metadata.generateName) metadata.name = generatedName(metadata.generateName);
  requireLivingNamespace(backend, type, namespace, metadata.name);
  stampBirth(object, type);
  type.prepare?.({ object, previous: undefined });
  const managedFields = creation.managedFields ?? ownedByCreator(backend, creation, object);
  type.admit?.({ object, previous: undefined }, { store: backend.store, user: creation.user });
  const errors = [...metadataErrors(type, object), ...(type.validate?.({ object, previous: undefined, warn }) ?? [])];
  if (errors.length > 0) throw invalid(storedKind(backend, type), metadata.name, errors);
  type.settle?.(object);
  const present = backend.store.resource(type.storage).get(objectKey(namespace, metadata.name));
  if (present) throw alreadyExists(type, metadata.name, present.terminating ? 'object is being deleted: ' : '');

  if (managedFields.length > 0) metadata.managedFields = [...managedFields];
  else delete metadata.managedFields;
  if (dryRun) return store(type, object);
  return backend.store.write((version) => {
    metadata.resourceVersion = String(version);
    return { type: 'ADDED', object: store(type, object), previous: undefined };
  });
}

/** Errors name the kind of the group in which a built-in kind is stored. */
function storedKind({ registry }: Backend, type: ResourceType): ResourceType {
  return type.builtIn ? (registry.storedType(type.storage) ?? type) : type;
}

/** A real server reports it for custom resources as an error of the storage. */
function versionOnCreate({ builtIn }: ResourceType): StatusError {
  const message = 'resourceVersion should not be set on objects to be created';
  return builtIn ? badRequest(message) : new StatusError(500, undefined, message);
}

/** Sets the namespace to that of the URL. @throws {StatusError} 400 if the object names another. */
export function placeInNamespace({ metadata }: ApiObject, type: ResourceType, namespace: string): void {
  if (type.scope === 'Cluster') {
    delete metadata.namespace;
    return;
  }
  if (metadata.namespace && metadata.namespace !== namespace) {
    throw badRequest(`the namespace of the provided object does not match the namespace sent on the request`);
  }
  metadata.namespace = namespace;
}

function requireLivingNamespace(
  { store, registry }: Backend,
  type: ResourceType,
  namespace: string,
  name: string,
): void {
  if (type.scope === 'Cluster') return;
  const found = store.resource('namespaces').get(namespace);
  const namespaces = registry.storedType('namespaces');
  if (!found && namespaces) throw notFound(namespaces, namespace);
  if (found?.terminating) throw namespaceTerminating(type, name, namespace);
}

function stampBirth(object: ApiObject, type: ResourceType): void {
  const { metadata } = object;
  metadata.uid = randomUUID();
  metadata.creationTimestamp = now();
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete (metadata as { selfLink?: string }).selfLink;
  if (type.countsGeneration) metadata.generation = 1;
  if (type.statusSubresource) delete object['status'];
}

function ownedByCreator(backend: Backend, { type, manager }: Creation, object: ApiObject): ManagedFieldsEntry[] {
  const { status: _, ...rest } = object;
  return trackUpdate(
    versionedTypes(backend.registry, type),
    { name: manager, operation: 'Update', apiVersion: apiVersionOf(type), subresource: '' },
    { live: undefined, object: type.statusSubresource ? rest : object },
  );
}

function generatedName(base: string): string {
  let name = base.slice(0, LONGEST_NAME - SUFFIX_LENGTH);
  for (let count = 0; count < SUFFIX_LENGTH; count++) {
    name += SUFFIX_LETTERS.charAt(Math.floor(Math.random() * SUFFIX_LETTERS.length));
  }
  return name;
}
