import { builtInTypes } from '../resources/kind-table.ts';
import { requireMetadataTypes } from '../resources/metadata-types.ts';
import { isRegistered } from '../resources/registered-kinds.ts';
import { scalarText, valueAt } from '../resources/resource-type.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { builtInSchema, objectSchema } from '../schema/built-in-schema.ts';
import { duplicateFields } from '../schema/duplicate-fields.ts';
import { goDecode } from '../schema/go-decode.ts';
import { prune } from '../schema/prune.ts';
import type { StatusError } from '../status.ts';
import { badRequest } from '../status.ts';
import type { JsonObject } from '../storage/stored-object.ts';
import type { Exchange } from './exchange.ts';
import { readImplied } from './implied-kind.ts';
import { requirePatchedIdentity, fieldsWithoutVersion } from './patched-identity.ts';
import { STRATEGIC_PATCH } from '../patch/patch.ts';
import { faultsOf, reportFaults } from './write-options.ts';
import type { CheckedBody, WriteRequestOptions } from './write-options.ts';

const SCALE = { apiVersion: 'autoscaling/v1', kind: 'Scale' } as const;

const SCALE_KIND = { builtIn: true, kind: 'Scale', version: 'v1' } as const;

/** Schema of a scale, including the fields of every object. */
export const SCALE_SCHEMA = objectSchema(builtInSchema('Scale'));

/** Reads the scale of a PUT. @throws {StatusError} 400 */
export async function readScale(exchange: Exchange, options: WriteRequestOptions): Promise<JsonObject> {
  const value = await readImplied(exchange, SCALE);
  const duplicates = options.fieldValidation === 'Ignore' ? [] : duplicateFields(exchange.text);
  return decoded(exchange, { value, duplicates, duplicateKeys: exchange.duplicateKeys }, options);
}

/** Returns a scale after a patch that is not an apply. @throws {StatusError} 400 */
export function patchedScale(
  exchange: Exchange,
  type: ResourceType,
  { value, ...faults }: CheckedBody & { readonly value: object },
  options: WriteRequestOptions,
): JsonObject {
  requirePatchedIdentity({ ...type, builtIn: true }, value);
  const unversioned = exchange.contentType === STRATEGIC_PATCH ? undefined : fieldsWithoutVersion(type, value);
  if (unversioned) {
    reportFaults(exchange, SCALE_KIND, faultsOf(faults, unversioned), options);
    return { ...SCALE, metadata: {} };
  }
  const { kind, apiVersion, ...rest } = value as JsonObject;
  const identity = {
    apiVersion: scalarText(apiVersion) || SCALE.apiVersion,
    kind: scalarText(kind) || SCALE.kind,
  };
  requireScale(type, identity);
  return decoded(exchange, { value: { ...identity, ...rest }, ...faults }, options);
}

/** @throws {StatusError} 400 if an object is of another kind. */
function requireScale(
  { builtIn }: ResourceType,
  { apiVersion, kind }: Readonly<Record<'apiVersion' | 'kind', string>>,
): void {
  if (apiVersion === SCALE.apiVersion && kind === SCALE.kind) return;
  const version = apiVersion.split('/').at(-1) ?? '';
  const why =
    builtIn && isRegistered(builtInTypes, apiVersion, kind)
      ? `converting (${version}.${kind}) to (autoscaling.Scale): unknown conversion`
      : `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
  throw badRequest(`${kind} in version "${version}" cannot be handled as a Scale: ${why}`);
}

function decoded(exchange: Exchange, { value, ...faults }: CheckedBody, options: WriteRequestOptions): JsonObject {
  const scale = value as JsonObject;
  requireMetadataTypes(SCALE_KIND, valueAt(scale, 'metadata'));
  goDecode({ kind: 'Scale', version: 'v1', schema: builtInSchema('Scale') }, scale);
  reportFaults(exchange, SCALE_KIND, faultsOf(faults, prune(SCALE_SCHEMA, scale)), options);
  return scale;
}

/** Returns the error of a body that cannot be decoded: a real server finds no type for the scale of a custom resource. */
export function ofUnknownType(error: StatusError): StatusError {
  if (error.code !== 400) return error;
  return badRequest('no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"');
}
