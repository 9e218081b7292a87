import type { ResourceType } from '../resources/resource-type.ts';
import { store } from '../resources/resource-type.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import { parseStored } from '../storage/stored-object.ts';
import { create } from '../verbs/create.ts';
import { holdsFinalizer } from '../verbs/delete.ts';
import type { Backend } from '../verbs/target.ts';

/** Metadata that a server sets, and that an initial object may have. */
const KEPT = [
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'managedFields',
] as const;

/**
 * Stores an object that exists from the start, with its status and with the metadata that a server sets. Its fields get
 * their defaults and must have the right types; rules beyond that are not checked, so it may be incomplete.
 *
 * @throws {Error} that says what is wrong with the object.
 */
export function storeInitial(backend: Backend, type: ResourceType, object: ApiObject): void {
  const { metadata } = object;
  const namespace = type.scope === 'Namespaced' ? (metadata.namespace ?? '') : '';
  if (type.scope === 'Namespaced' && namespace === '') {
    throw new Error(
      `${type.kind} is namespaced: set metadata.namespace, or scope: 'Cluster' in the definition of its kind`,
    );
  }
  const unchecked = { ...type, statusSubresource: false, validate: undefined, judge: undefined };
  const { resourceVersion: _, ...rest } = metadata;
  const born = create(backend, {
    type: unchecked,
    namespace,
    body: { ...object, metadata: rest },
    dryRun: true,
    manager: 'unknown',
    managedFields: [],
  });
  const stored = parseStored(born);
  for (const field of KEPT)
    if (metadata[field] !== undefined) Object.assign(stored.metadata, { [field]: metadata[field] });
  const { status } = object;
  if (status !== undefined) stored['status'] = status;
  if (
    stored.metadata.deletionTimestamp &&
    !stored.metadata.deletionGracePeriodSeconds &&
    !holdsFinalizer(type, stored)
  ) {
    throw new Error('metadata.deletionTimestamp is set, but no finalizer: add one, or leave the object out');
  }
  backend.store.write((version) => {
    stored.metadata.resourceVersion = String(version);
    return { type: 'ADDED', object: store(type, stored), previous: undefined };
  });
}
