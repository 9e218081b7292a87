import type { Scope } from '@mcr/client';
import type { Review } from '../access/reviews.ts';
import type { Schema } from '../schema/schema.ts';
import type { FieldError, GroupKind, GroupResource } from '../status.ts';
import type { ApiObject, JsonObject, StoredObject } from '../storage/stored-object.ts';
import { parseStored, serialize, storeObject } from '../storage/stored-object.ts';

/** A column of the table that `kubectl get` prints. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** 0 is always shown, 1 only in wide output. */
  readonly priority?: number;
  readonly cell: (object: ApiObject) => unknown;
}

/** Where an object says how many replicas it wants, has, and by which labels; dotted paths. */
export interface ScalePaths {
  readonly spec: string;
  readonly status: string;
  /** Of a label selector, or of its text. */
  readonly selector: string | undefined;
}

/** A write of an object, for the hooks of its kind. */
export interface Change {
  readonly object: ApiObject;
  /** What is there before; `undefined` for a create. */
  readonly previous: ApiObject | undefined;
}

/** How the objects of another version than the stored one look. */
export interface VersionView {
  fromStored(object: ApiObject): ApiObject;
  toStored(object: ApiObject): ApiObject;
}

/** One kind in one version, as it is served: a row of the kind table. */
export interface ResourceType extends GroupResource, GroupKind {
  readonly version: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: Scope;
  /** Names the store: types that are versions of one resource share it. */
  readonly storage: string;
  /** Compiled into a real server. Their list items carry no `kind` and `apiVersion`, and they take strategic merge patches. */
  readonly builtIn: boolean;
  readonly statusSubresource: boolean;
  /** Whether `metadata.generation` counts the changes of what is not metadata or status. */
  readonly countsGeneration: boolean;
  /** Whether an update of an object that does not exist creates it. */
  readonly createsOnUpdate: boolean;
  readonly nameRule: 'label' | 'subdomain' | 'path segment';
  /** Field selectors by label, with the dotted path each one reads. */
  readonly fields: Readonly<Record<string, string>>;
  /** Dotted paths that an update must not change. */
  readonly immutable: readonly string[];
  readonly columns: readonly Column[];
  /** Of its objects, with the fields that every object has. */
  readonly schema: Schema;
  /** Absent where there is no scale subresource. */
  readonly scale: ScalePaths | undefined;
  /** Sets what the server owns or defaults. */
  readonly prepare: ((change: Change) => void) | undefined;
  readonly validate: ((change: Change) => FieldError[]) | undefined;
  /** Answers the objects of a kind that are questions, and never stored. */
  readonly review: Review | undefined;
  /** Absent for the version that is stored. */
  readonly view: VersionView | undefined;
}

export function apiVersionOf({ group, version }: Pick<ResourceType, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The value at a dotted path, or `undefined` where the path leads nowhere. */
export function valueAt(object: unknown, path: string): unknown {
  let value = object;
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

/** Sets the value at a dotted path, in place, with the objects that lead to it. */
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

/** Fixes `object`, given in the stored version, as one version of this resource. */
export function store(type: ResourceType, object: ApiObject): StoredObject {
  const fields: Record<string, string> = {};
  for (const [label, path] of Object.entries(type.fields)) {
    fields[label] = scalarText(valueAt(object, path));
  }
  return storeObject(type.storage, object, fields);
}

/** A scalar as a selector or a cell shows it; `''` for anything else. */
export function scalarText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** The object as `type` serves it. */
export function present(type: ResourceType, stored: StoredObject): ApiObject {
  const object = parseStored(stored);
  return type.view ? type.view.fromStored(object) : object;
}

/** The object's JSON as `type` serves it. */
export function presentJson(type: ResourceType, stored: StoredObject): Buffer {
  return type.view ? serialize(type.view.fromStored(parseStored(stored))) : stored.json;
}
