import type { Scope } from '@mcr/client';
import type { Review } from '../access/reviews.ts';
import type { User } from '../access/user.ts';
import { requireHeldIntegers } from '../schema/exact-integers.ts';
import type { Schema } from '../schema/schema.ts';
import type { FieldError, GroupKind, GroupResource } from '../status.ts';
import type { ClusterStore } from '../storage/cluster-store.ts';
import type { ApiObject, JsonObject, StoredObject } from '../storage/stored-object.ts';
import { parseStored, serialize, storeObject } from '../storage/stored-object.ts';
import type { Paused } from '../turn.ts';

/** A column of the table that `kubectl get` prints. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** 0 is always shown, 1 only in wide output. */
  readonly priority?: number;
  readonly cell: (object: ApiObject) => unknown;
  /** Whether rows have the cell although the table does not define the column. Default: false. */
  readonly isUndefined?: boolean;
}

/** Dotted paths of the desired replicas, the current replicas and the label selector. */
export interface ScalePaths {
  readonly spec: string;
  readonly status: string;
  /** Path of a label selector, or of its text. */
  readonly selector: string | undefined;
}

/** A field that selectors can name, and its text where the object does not have it. */
export interface SelectableField {
  /** Dotted path. */
  readonly path: string;
  /** Path of the text where the object has none at `path`. */
  readonly otherwise?: string;
  readonly absent: string;
}

/** A write of an object, for the hooks of its kind. */
export interface Change {
  readonly object: ApiObject;
  /** Object before the write; `undefined` for a create. */
  readonly previous: ApiObject | undefined;
  /** Subresource that is written. Default: the object itself. */
  readonly subresource?: string | undefined;
  /** Errors that were found in the metadata. */
  readonly metadataErrors?: readonly FieldError[];
  /** Objects of the cluster. Absent for changes that are not validated. */
  readonly store?: ClusterStore;
  /** Sends a warning to the client. */
  readonly warn?: ((text: string) => void) | undefined;
}

/** Circumstances of a write that {@link ResourceType.admit} needs. */
export interface AdmissionContext {
  readonly store: ClusterStore;
  /** Absent for writes of the server itself, and for updates. */
  readonly user: User | undefined;
  /** Whether nothing is stored. */
  readonly dryRun: boolean;
  /** Registers a function that is called once the write is stored or refused. */
  readonly hold: (end: (isStored: boolean) => void) => void;
  /** Name of the object in errors of admission plugins, which do not know a generated name. */
  readonly nameInErrors: string;
}

/** Converts objects between the stored version and another one. */
export interface VersionView {
  fromStored(object: ApiObject): ApiObject;
  toStored(object: ApiObject): ApiObject;
  /** Reports whether stored bytes are an object in this version. */
  isCurrent?(json: Buffer): boolean;
}

/** Converts objects between the version of a type and the version in which new objects are stored. */
export interface Conversion {
  /** Reports whether stored bytes are an object in the version of the type. */
  isCurrent(json: Buffer): boolean;
  /** Reports whether stored bytes are an object in the version in which new objects are stored. */
  isStored(json: Buffer): boolean;
  /** Whether both versions are the same. */
  readonly isIdentity: boolean;
  /** @throws {StatusError} 500 if the webhook fails. */
  fromStored(objects: readonly ApiObject[]): Promise<ApiObject[]>;
  /** @throws {StatusError} 500 if the webhook fails. */
  toStored(object: ApiObject): Promise<ApiObject>;
  /** Converted objects, as the watch cache of the version holds them. */
  readonly cache: WeakMap<StoredObject, StoredObject>;
}

/** A kind in one version: a row of the kind table. */
export interface ResourceType extends GroupResource, GroupKind {
  readonly version: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: Scope;
  /** Name of the store, which all versions of a resource share. */
  readonly storage: string;
  /**
   * Whether a real server has it compiled in. List items then omit `kind` and `apiVersion`, and strategic merge patches
   * work.
   */
  readonly builtIn: boolean;
  readonly statusSubresource: boolean;
  /** Whether a new object may have a status, which only the subresource changes later. Default: false. */
  readonly keepsFirstStatus?: boolean;
  /** Whether `metadata.generation` counts changes outside of metadata and status. */
  readonly countsGeneration: boolean;
  /**
   * Whether an empty list or map counts as a change of an absent one (upstream: strategies with `reflect.DeepEqual`).
   * Default: false.
   */
  readonly countsEmptyCollections?: boolean;
  /** Whether an update of an object that does not exist creates it. */
  readonly createsOnUpdate: boolean;
  /** Whether an apply of the status of an object that does not exist creates it. Default: {@link createsOnUpdate}. */
  readonly statusCreates?: boolean;
  /** Whether an update must name the version that it replaces. Updates of custom kinds always must. Default: false. */
  readonly requiresVersion?: boolean;
  /** Text of the warning that responses carry. */
  readonly deprecation: string | undefined;
  /** Whether the response to a deletion is the object, and not a Status. */
  readonly returnsDeleted: boolean;
  /** Form of names. `of the kind`: {@link validate} checks them. */
  readonly nameRule: 'label' | 'DNS-1035 label' | 'subdomain' | 'path segment' | 'of the kind';
  /** Paths of field selectors, by label. */
  readonly fields: Readonly<Record<string, string | SelectableField>>;
  /** Fields by the labels that selectors use, where these have other names. Default: as in `fields`. */
  readonly fieldLabels: Readonly<Record<string, string>> | undefined;
  /** Dotted paths that an update must not change. */
  readonly immutable: readonly string[];
  readonly columns: readonly Column[];
  /** Schema of its objects, including the fields of every object. */
  readonly schema: Schema;
  /** Annotations that the internal type upstream does not have: they are missing in PartialObjectMetadata. */
  readonly convertedAnnotations?: readonly string[];
  /** Absent without a scale subresource. */
  readonly scale: ScalePaths | undefined;
  /** Metadata that a write of the status may change. */
  readonly statusMetadata: readonly ('labels' | 'annotations' | 'finalizers' | 'ownerReferences')[];
  /** Metadata whose change also starts a generation; `creation` if no change does. */
  readonly generationBy: 'annotations' | 'labels' | 'creation' | undefined;
  /** Sets defaults, before the owners of the fields are recorded. */
  readonly prepare: ((change: Change) => void) | undefined;
  /** Like {@link prepare}, for writes of subresources. */
  readonly preparePart?: ((change: Change) => void) | undefined;
  /**
   * Sets fields that the server owns, after the owners of the others were recorded: built-in admission plugins and the
   * strategy of a resource upstream.
   *
   * @throws {StatusError} if an admission plugin refuses the write.
   */
  readonly admit: ((change: Change, context: AdmissionContext) => void) | undefined;
  /** Checks a new object after it was validated: built-in admission plugins. @throws {StatusError} if one refuses it. */
  readonly admitValid?: ((change: Change, context: AdmissionContext) => void) | undefined;
  /** Like {@link admit}, for writes of subresources. */
  readonly admitPart?: ((change: Change) => void) | undefined;
  readonly validate: ((change: Change) => FieldError[]) | undefined;
  /** Returns warnings about a valid object, other than about its status. */
  readonly warnings?: ((change: Change) => readonly string[]) | undefined;
  /** Whether the errors of {@link validate} include those of the metadata. Default: these come first. */
  readonly placesMetadataErrors?: boolean;
  /** Like {@link validate}, for a kind whose validation can take long. Default: nothing. */
  readonly judge?: ((change: Change) => Paused<FieldError[]>) | undefined;
  /**
   * Drops the fields that the stored version does not have, and sets its defaults, after an object of another version was
   * validated. A real server sets defaults only when it reads the object. Default: nothing.
   *
   * @returns whether defaults were set.
   * @throws {StatusError} 500 if the object cannot be converted.
   */
  readonly settle?: (object: ApiObject) => boolean;
  /** Returns the response to a review, which is never stored. */
  readonly review: Review | undefined;
  /** Absent if the objects are always stored in this version. */
  readonly view: VersionView | undefined;
  /** Whether new objects are stored in this version. Default: whether there is no view. */
  readonly storesVersion?: boolean;
  /** Whether clients can use the version. Default: true. */
  readonly served?: boolean;
  /** Absent unless a webhook converts the objects between versions. */
  readonly conversion?: Conversion | undefined;
}

export function apiVersionOf({ group, version }: Pick<ResourceType, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Returns the errors in an object by the rules of its kind. */
export function* kindErrors(type: ResourceType, change: Change): Paused<FieldError[]> {
  return [...(type.validate?.(change) ?? []), ...(type.judge ? yield* type.judge(change) : [])];
}

/** Returns the value at a dotted path, or `undefined` if the path does not exist. */
export function valueAt(object: unknown, path: string): unknown {
  let value = object;
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

/** Sets the value at a dotted path in place, and creates the objects on the path. */
export function setValueAt(object: JsonObject, path: string, value: unknown): void {
  const [step = '', ...rest] = path.split('.');
  if (rest.length === 0) {
    object[step] = value;
    return;
  }
  const child = { ...(object[step] as JsonObject | undefined) };
  setValueAt(child, rest.join('.'), value);
  object[step] = child;
}

/**
 * Serializes an object in the stored version as one version of the resource.
 *
 * @param json the object as bytes, if it was serialized before.
 * @throws {StatusError} 501 for an integer that JSON does not hold.
 */
export function store(type: ResourceType, object: ApiObject, json?: Buffer): StoredObject {
  const fields: Record<string, string> = {};
  for (const [label, field] of Object.entries(type.fields)) {
    const { path, otherwise, absent } = fieldOf(field);
    const value = valueAt(object, path) ?? (otherwise === undefined ? undefined : valueAt(object, otherwise));
    fields[label] = value === undefined ? absent : scalarText(value);
  }
  const stored = storeObject(type.storage, object, fields, json);
  if (type.builtIn) requireHeldIntegers(stored.json);
  return stored;
}

function fieldOf(field: string | SelectableField): SelectableField {
  return typeof field === 'string' ? { path: field, absent: '' } : field;
}

/** Returns a scalar as text for a selector or a cell; `''` for any other value. */
export function scalarText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** Returns the object in the version of `type`. */
export function present(type: ResourceType, stored: StoredObject): ApiObject {
  const object = parseStored(stored);
  return type.view ? type.view.fromStored(object) : object;
}

/** Returns the JSON of an object in the version of `type`. */
export function presentJson(type: ResourceType, stored: StoredObject): Buffer {
  if (!type.view || type.view.isCurrent?.(stored.json)) return stored.json;
  return serialize(type.view.fromStored(parseStored(stored)));
}
