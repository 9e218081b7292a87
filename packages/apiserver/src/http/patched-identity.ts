import type { ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf } from '../resources/resource-type.ts';
import { badRequest, invalid, invalidField, StatusError } from '../status.ts';
import type { ApiObject, JsonObject } from '../storage/stored-object.ts';
import { identified, UnreadableBody } from './readable-body.ts';

/** @throws {StatusError} if a patch removed or changed the kind or the version of a custom resource. */
export function requirePatchedIdentity(type: ResourceType, value: object): void {
  const { apiVersion, kind, metadata } = value as Partial<Record<'apiVersion' | 'kind', unknown>> & Partial<ApiObject>;
  requireIdentity(value);
  if (type.builtIn) return;
  if (typeof kind !== 'string' || kind === '')
    throw badRequest(`Object 'Kind' is missing in '${JSON.stringify(value)}'`);
  if (typeof apiVersion !== 'string' || apiVersion === '') {
    const message = `Object 'apiVersion' is missing in 'object has no apiVersion field'`;
    throw new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
  }
  const expected = apiVersionOf(type);
  if (apiVersion === expected || kind !== type.kind) return;
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const errors = [invalidField('apiVersion', apiVersion, `must be ${expected}`)];
  throw invalid({ group, kind }, metadata?.name ?? '', errors);
}

/** @throws {StatusError} 400 if a patch made a list, or a part of the identity has another type. */
function requireIdentity(value: object): void {
  try {
    identified(value);
  } catch (error) {
    throw error instanceof UnreadableBody ? badRequest(error.message) : error;
  }
}

/**
 * Returns the fields of an object that a JSON patch or a merge patch left without a version. A real server decodes it into
 * the internal Go type of the kind, whose fields have no names in JSON: it knows none of them, and the object no name.
 */
export function fieldsWithoutVersion({ builtIn }: ResourceType, value: object): readonly string[] | undefined {
  const { apiVersion, kind: _, ...fields } = value as JsonObject;
  if (!builtIn || (apiVersion !== undefined && apiVersion !== null && apiVersion !== '')) return undefined;
  return Object.keys(fields).toSorted();
}
