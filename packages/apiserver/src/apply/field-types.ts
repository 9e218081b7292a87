import { completeAutoscaler } from '../resources/autoscaler.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf } from '../resources/resource-type.ts';
import { builtInTypeName } from '../schema/built-in-schema.ts';
import { goDecode } from '../schema/go-decode.ts';
import { goEmpty } from '../schema/go-empty.ts';
import type { Schema } from '../schema/schema.ts';
import { wrappingIntegers } from '../schema/wrap-integers.ts';
import type { ApiObject, JsonObject } from '../storage/stored-object.ts';
import type { Paused } from '../turn.ts';
import { complete, done, Turn } from '../turn.ts';
import type { Atom } from './atom.ts';
import { atomOf } from './atom.ts';
import { decodingFault } from './decoding-fault.ts';
import type { FieldSet } from './field-set.ts';
import { fieldsOf, MEMBER, NOTHING, pathSet } from './field-set.ts';

/** The types of a resource's fields in one version. */
export interface FieldTypes {
  readonly apiVersion: string;
  readonly atom: Atom;
  /** Converts an object from the stored version. */
  readonly fromStored: (object: ApiObject) => ApiObject;
  readonly toStored: (object: ApiObject) => ApiObject;
  /** Object that a new object is compared with. */
  readonly empty: JsonObject;
  /** Returns an object that was converted from another version as Go writes it. */
  readonly complete: (object: ApiObject) => ApiObject;
  /** Returns why a real server cannot decode an object in this version. */
  readonly fault: (object: ApiObject, turn: Turn) => Paused<string | undefined>;
  readonly builtIn: boolean;
  /** Whether an object can be converted here: a webhook is not asked for the fields of managers. */
  readonly isConverted: boolean;
  /** Returns the fields that writes through a subresource do not change, and so do not own. */
  readonly ignored: (subresource: string) => FieldSet;
}

/** The types of a resource in the version of a request, and in other versions that managers used. */
export interface VersionedTypes {
  readonly own: FieldTypes;
  /** Returns `undefined` if the version is not served. */
  readonly at: (apiVersion: string) => FieldTypes | undefined;
}

/** Returns the types of a resource, for a request in the version of `type`. */
export function versionedTypes(registry: ResourceRegistry, type: ResourceType): VersionedTypes {
  const own = fieldTypes(type);
  return {
    own,
    at(apiVersion) {
      if (apiVersion === own.apiVersion) return own;
      const slash = apiVersion.indexOf('/');
      // A real server cannot convert built-in kinds to another group.
      if (type.builtIn && apiVersion.slice(0, Math.max(slash, 0)) !== type.group) return undefined;
      const found = registry.find(apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1), type.plural);
      return found?.storage === type.storage ? fieldTypes(found) : undefined;
    },
  };
}

/** Returns the types of a built-in kind that has one version, and no subresources. */
export function singleVersion(apiVersion: string, schema: Schema, empty: JsonObject): VersionedTypes {
  const same = (object: ApiObject): ApiObject => object;
  const atom = atomOf(schema, { builtIn: true });
  const own: FieldTypes = {
    apiVersion,
    builtIn: true,
    isConverted: true,
    atom,
    fromStored: same,
    toStored: same,
    complete: same,
    fault: () => done(undefined),
    empty,
    ignored: () => NOTHING,
  };
  return { own, at: (version) => (version === apiVersion ? own : undefined) };
}

/** Returns an object of a built-in kind as a conversion decodes it. */
function converted(type: ResourceType, object: ApiObject): ApiObject {
  return goDecode(type, complete(wrappingIntegers(type.schema, object, new Turn())));
}

const known = new WeakMap<ResourceType, FieldTypes>();

function fieldTypes(type: ResourceType): FieldTypes {
  const cached = known.get(type);
  if (cached) return cached;
  const { view, schema, builtIn } = type;
  const types: FieldTypes = {
    apiVersion: apiVersionOf(type),
    builtIn,
    isConverted: view !== undefined,
    atom: atomOf(schema, { builtIn }),
    fromStored: (object) => (view ? view.fromStored(object) : object),
    toStored: (object) => (view ? view.toStored(object) : object),
    complete: (object) => (builtIn ? completeAutoscaler(type, converted(type, object)) : object),
    fault: (object, turn) => (builtIn ? decodingFault(type, object, turn) : done(undefined)),
    empty: { ...(builtIn && (goEmpty(apiVersionOf(type), type.kind) ?? emptyParts(schema))), metadata: {} },
    ignored: (subresource) => ignoredFields(type, subresource),
  };
  known.set(type, types);
  return types;
}

/** Structs that the Go types contain even if the object is empty. Filling them does not make a manager their owner. */
const ALWAYS_PRESENT: ReadonlySet<string> = new Set(['spec', 'status', 'template', 'strategy', 'names']);

function emptyParts({ properties = {} }: Schema): JsonObject {
  const parts = Object.entries(properties).filter(
    ([field, part]) => ALWAYS_PRESENT.has(field) && builtInTypeName(part) !== undefined,
  );
  return Object.fromEntries(parts.map(([field, part]) => [field, emptyParts(part)]));
}

/** Additional fields that a status write of a built-in kind does not change. */
const RESET_BY_STATUS: Readonly<Record<string, FieldSet>> = {
  pods: fieldsOf({ 'f:metadata': fieldsOf({ 'f:deletionTimestamp': MEMBER, 'f:ownerReferences': MEMBER }) }),
  'deployments.apps': pathSet('f:metadata', 'f:labels'),
};

/** (Upstream: `GetResetFields` of the strategy of each resource.) */
function ignoredFields({ statusSubresource, storage }: ResourceType, subresource: string): FieldSet {
  switch (subresource) {
    case '':
      return statusSubresource ? pathSet('f:status') : NOTHING;
    case 'status':
      return fieldsOf({ 'f:spec': MEMBER, ...Object.fromEntries((RESET_BY_STATUS[storage] ?? NOTHING).children) });
    case 'finalize':
      return pathSet('f:status');
    default:
      return NOTHING;
  }
}
