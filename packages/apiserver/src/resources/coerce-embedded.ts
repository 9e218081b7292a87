import type { Schema } from '../schema/schema.ts';
import { fieldSchema } from '../schema/schema.ts';
import { invalidField } from '../status.ts';
import type { Paused } from '../turn.ts';
import { complete, Turn } from '../turn.ts';
import { isMetadataField, metadataFault } from './metadata-types.ts';

/**
 * Checks the types of the identity and metadata of embedded resources, and removes unknown fields of their metadata in
 * place. (Upstream: `CoerceWithOptions` of `pkg/apiserver/schema/objectmeta`.)
 *
 * @returns the paths of the removed fields.
 * @throws {MistypedResource} that names the first field with a value of the wrong type.
 */
export function coerceEmbedded(schema: Schema, value: unknown): string[] {
  return complete(coercingEmbedded(schema, value, new Turn()));
}

/** Like {@link coerceEmbedded}, with pauses. */
export function* coercingEmbedded(schema: Schema, value: unknown, turn: Turn): Paused<string[]> {
  const removed: string[] = [];
  yield* coerce({ schema, path: '' }, value, removed, turn);
  return removed;
}

/** The identity or the metadata of an embedded resource has the wrong type. */
export class MistypedResource extends Error {
  override readonly name = 'MistypedResource';
}

interface Place {
  readonly schema: Schema;
  readonly path: string;
}

function* coerce({ schema, path }: Place, value: unknown, removed: string[], turn: Turn): Paused<void> {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items) return;
    for (const [index, item] of value.entries()) {
      if (turn.step()) yield* turn.pause();
      yield* coerce({ schema: items, path: `${path}[${index}]` }, item, removed, turn);
    }
    return;
  }
  const isResource = schema['x-kubernetes-embedded-resource'] === true;
  const within = (field: string): string => {
    if (path === '') return field;
    const isProperty = isResource || (schema.properties !== undefined && Object.hasOwn(schema.properties, field));
    return isProperty ? `${path}.${field}` : `${path}[${field}]`;
  };
  if (isResource) {
    for (const [field, child] of Object.entries(value)) requireIdentity(field, child, within(field));
    // An unknown field is reported even if it is empty.
    removed.push(...removeUnknown(value).map(within));
    tidyMetadata(value);
  }
  for (const field of Object.keys(value)) {
    if (turn.step()) yield* turn.pause();
    const child = (value as Readonly<Record<string, unknown>>)[field];
    const known = fieldSchema(schema, field);
    if (known && typeof child === 'object') yield* coerce({ schema: known, path: within(field) }, child, removed, turn);
  }
}

/** Removes in place each `null` in the metadata of embedded resources. */
export function tidyEmbedded(schema: Schema, value: unknown): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items) for (const item of value) tidyEmbedded(items, item);
  } else if (typeof value === 'object' && value !== null) {
    if (schema['x-kubernetes-embedded-resource']) tidyMetadata(value);
    for (const [field, child] of Object.entries(value)) {
      const known = fieldSchema(schema, field);
      if (known) tidyEmbedded(known, child);
    }
  }
}

/**
 * A real server decodes metadata into its Go type, and writes it again: what is empty counts as absent. `null` is empty
 * metadata.
 */
function tidyMetadata(resource: object): void {
  const fields = resource as Record<string, unknown>;
  const { metadata } = fields;
  if (metadata === null) fields['metadata'] = {};
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return;
  for (const [field, value] of Object.entries(metadata) as [string, unknown][]) {
    const isEmpty =
      value === null || value === '' || (value === 0 && field === 'generation') || isEmptyCollection(value);
    if (isEmpty) Reflect.deleteProperty(metadata, field);
    else if (!Array.isArray(value) && typeof value === 'object') replaceNulls(value as Record<string, unknown>);
  }
}

function isEmptyCollection(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Go decodes a null in a map of texts as an empty one. */
function replaceNulls(map: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(map)) if (value === null) map[key] = '';
}

/** Removes in place the unknown fields of the metadata of a resource, and returns their paths in the resource. */
function removeUnknown({ metadata }: { readonly metadata?: unknown }): string[] {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return [];
  const unknown = Object.keys(metadata).filter((name) => !isMetadataField(name));
  for (const name of unknown) Reflect.deleteProperty(metadata, name);
  return unknown.map((name) => `metadata.${name}`);
}

/** @throws {MistypedResource} if the field is a part of the identity or the metadata, and has the wrong type. */
function requireIdentity(field: string, value: unknown, path: string): void {
  const refuse = (detail: string): Error =>
    new MistypedResource(`${path}: ${invalidField(path, sortedCopy(value), detail).message}`);
  if (field === 'apiVersion' || field === 'kind') {
    if (typeof value !== 'string') throw refuse('must be a string');
    return;
  }
  if (field !== 'metadata' || value === null) return;
  const fault = metadataFault(value);
  if (fault !== undefined) throw refuse(fault);
}

/** Go prints the keys of a map in order. */
function sortedCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedCopy);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([field, child]) => [field, sortedCopy(child)]));
}
