import { applyConfiguration } from '../apply/apply-configuration.ts';
import type { Configuration } from '../apply/configuration.ts';
import { configurationOf } from '../apply/configuration.ts';
import { faultOfConversion } from '../apply/decoding-fault.ts';
import { versionedTypes } from '../apply/field-types.ts';
import type { FieldManager } from '../apply/managed-fields.ts';
import { DecodeError } from '../decode-error.ts';
import { compactMetadata } from '../resources/common-metadata.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf } from '../resources/resource-type.ts';
import { requireWholeNumbers } from '../schema/fractions.ts';
import { goDecoding } from '../schema/go-decode.ts';
import { wrappingIntegers } from '../schema/wrap-integers.ts';
import { badRequest, conflict, conversionError, notFound } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import { parsedInTurns } from '../storage/stored-object.ts';
import type { Paused } from '../turn.ts';
import { Turn } from '../turn.ts';
import { creating, placeInNamespace } from './create.ts';
import { immutableUid } from './immutable-metadata.ts';
import type { Steps } from './steps.ts';
import { find } from './target.ts';
import type { Backend } from './target.ts';
import type { Update, UpdateResult } from './update.ts';
import { replacing, requireName } from './update.ts';
import { untilStored } from './until-stored.ts';
import { loaded } from './version-conversion.ts';

export interface Apply extends Update {
  /** Configuration as sent. */
  readonly body: unknown;
  /** Takes over fields of other managers. */
  readonly force: boolean;
  /** Called after the merge, before anything is stored. */
  readonly afterMerge?: () => void;
}

/**
 * Applies a configuration: creates the object if it does not exist, else changes the fields that the manager applies
 * now or applied before.
 *
 * @throws {StatusError} 500 if the configuration does not match the schema, 409 for fields of other managers, and the
 *   errors of create and update.
 */
export function* applying(backend: Backend, application: Apply): Steps<UpdateResult> {
  return yield* untilStored(backend, application, () => attempt(backend, application));
}

function* attempt(backend: Backend, { body, force, afterMerge, ...request }: Apply): Steps<UpdateResult | undefined> {
  const { target, part, manager } = request;
  const { type, namespace, name } = target;
  const current = find(backend, target);
  // A kind whose updates create objects is created by its status, too.
  const creates = part === 'object' || (part === 'status' && (type.createsOnUpdate || type.statusCreates));
  if (!current && !creates) throw notFound(type, name);
  const config = configurationOf({ apiVersion: apiVersionOf(type), kind: type.kind }, body);
  const fieldManager: FieldManager = {
    name: manager,
    operation: 'Apply',
    apiVersion: apiVersionOf(type),
    subresource: part === 'object' ? '' : part,
  };
  const types = versionedTypes(backend.registry, type);
  const seen = current && (yield* loaded(type, current));
  const turn = new Turn();
  const live = seen && (yield* parsedInTurns(seen, turn));
  const application = { types, manager: fieldManager, live, config, force, turn };
  const { object, managedFields, changed } = yield* applyConfiguration(application);
  const decoded = yield* decode(type, config, object, turn);
  afterMerge?.();
  const { uid } = decoded.metadata;
  if (!current && uid) {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict(type, name, why);
  }
  if (current && uid && uid !== current.uid) throw immutableUid(type, name, uid);
  placeInNamespace(decoded, type, namespace);
  requireAppliedName(decoded, name);
  if (current && seen) {
    // A real server sets defaults only in an object that the merge changed.
    const replacement = { ...request, setsDefaults: changed };
    const replaced = yield* replacing(backend, replacement, current, seen, decoded, managedFields);
    return replaced && { object: replaced, created: false };
  }
  // The version of an object that does not exist has no meaning.
  const { resourceVersion: _, ...metadata } = decoded.metadata;
  const draft = { ...decoded, metadata };
  const subresource = part === 'status' ? part : '';
  const created = yield* creating(backend, { ...request, type, namespace, body: draft, subresource, managedFields });
  return { object: created, created: true };
}

/** Returns a merged object as the server decodes it. */
function* decode(type: ResourceType, config: Configuration, object: ApiObject, turn: Turn): Paused<ApiObject> {
  const { metadata, ...rest } = object;
  const named = { ...rest, metadata: { name: '', ...compactMetadata(metadata) } } as ApiObject;
  if (type.builtIn) {
    yield* requireWholeNumbers(type.schema, config, named, turn);
    const whole = yield* wrappingIntegers(type.schema, named, turn);
    return yield* converted(config, () => goDecoding(type, whole, turn));
  }
  return named;
}

/** Errors of the decoder are those of a conversion after an apply. @throws {StatusError} 500 */
function* converted<T>(config: Configuration, decoder: () => Paused<T>): Paused<T> {
  try {
    return yield* decoder();
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw conversionError(config, faultOfConversion(error));
  }
}

/** @throws {StatusError} 400 if neither the configuration nor an existing object has the name of the URL. */
export function requireAppliedName(object: ApiObject, name: string): void {
  if (!object.metadata.name) {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  requireName(object.metadata.name, name);
}
