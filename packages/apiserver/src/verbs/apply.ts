import { applyConfiguration } from '../apply/apply-configuration.ts';
import type { FieldManager } from '../apply/managed-fields.ts';
import { decodeObject } from '../resources/metadata.ts';
import { apiVersionOf } from '../resources/resource-type.ts';
import { badRequest, notFound } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import { parseStored } from '../storage/stored-object.ts';
import { create, placeInNamespace } from './create.ts';
import { find } from './target.ts';
import type { Backend } from './target.ts';
import type { Update, UpdateResult } from './update.ts';
import { replace, requireName } from './update.ts';

export interface Apply extends Update {
  /** Configuration as sent. */
  readonly body: unknown;
  /** Takes over fields of other managers. */
  readonly force: boolean;
}

/**
 * Applies a configuration: creates the object if it does not exist, else changes the fields that the manager applies
 * now or applied before.
 *
 * @throws {StatusError} 409 for fields of other managers, and the errors of create and update.
 */
export function apply(backend: Backend, { body, force, ...request }: Apply): UpdateResult {
  const { target, part, manager, dryRun } = request;
  const { type, namespace, name } = target;
  const draft = decodeObject(type, withoutNulls(body));
  if (draft.metadata.managedFields) throw badRequest('metadata.managedFields must be nil');
  requireName(draft, name);
  placeInNamespace(draft, type, namespace);
  const wanted = type.view ? type.view.toStored(draft) : draft;
  const config = part === 'status' ? onlyStatus(wanted) : withoutStatus(wanted, type.statusSubresource);
  const fieldManager: FieldManager = {
    name: manager,
    operation: 'Apply',
    apiVersion: apiVersionOf(type),
    subresource: part === 'object' ? '' : part,
  };
  const current = find(backend, target);
  const merged = applyConfiguration({
    schema: backend.registry.storedSchema(type),
    manager: fieldManager,
    live: current ? parseStored(current) : ({ metadata: {} } as ApiObject),
    config,
    force,
  });
  const managedFields = merged.metadata.managedFields ?? [];
  if (current) return { object: replace(backend, request, current, merged, managedFields), created: false };
  if (part !== 'object') throw notFound(type, name);
  return { object: create(backend, { type, namespace, body: draft, dryRun, manager, managedFields }), created: true };
}

function withoutStatus(object: ApiObject, apart: boolean): ApiObject {
  const { status: _, ...rest } = object;
  return apart ? rest : object;
}

/** Keeps only the status: the status subresource ignores other fields. */
function onlyStatus({ apiVersion, kind, metadata, status }: ApiObject): ApiObject {
  const { name, resourceVersion, uid } = metadata;
  const identity = { name, ...(resourceVersion && { resourceVersion }), ...(uid && { uid }) } as ApiObject['metadata'];
  return { apiVersion, kind, metadata: identity, ...(status !== undefined && { status }) };
}

/** A `null` field counts as absent. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, child]) => child !== null);
  return Object.fromEntries(entries.map(([field, child]) => [field, withoutNulls(child)]));
}
