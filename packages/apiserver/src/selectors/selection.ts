import type { LabelSelector } from '@mcr/client';
import { matchesLabels } from '@mcr/client';
import type { ResourceType } from '../resources/resource-type.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { ShardFilter } from './shard-filter.ts';
import type { FieldSelector } from './field-selector.ts';
import { parseLabels } from './label-selector.ts';
import { matchesFields, parseFieldSelector, parseFieldTerms } from './field-selector.ts';

/** Selects the objects of a list or watch. */
export interface Selection {
  /** `''` for all namespaces. */
  readonly namespace: string;
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  /** Default: all objects. */
  readonly shard?: ShardFilter | undefined;
}

/** @throws {StatusError} 400 if a selector is invalid. */
export function parseSelection(type: ResourceType, namespace: string, query: URLSearchParams): Selection {
  return {
    namespace,
    labels: parseLabels(query.get('labelSelector') ?? ''),
    fields: parseFieldSelector(type, query.get('fieldSelector') ?? ''),
  };
}

/**
 * Checks the syntax of the selectors in a query, before the other options of a list or watch.
 *
 * @throws {StatusError} 400
 */
export function requireSelectors(query: URLSearchParams): void {
  parseLabels(query.get('labelSelector') ?? '');
  parseFieldTerms(query.get('fieldSelector') ?? '');
}

/** Returns the name of the only object that a selection can contain, if its field selector says so. */
export function selectedName({ fields }: Selection): string | undefined {
  return fields.find(({ field, equal }) => field === 'metadata.name' && equal)?.value;
}

export function isSelective({ labels, fields, shard }: Selection): boolean {
  return labels.length > 0 || fields.length > 0 || shard !== undefined;
}

export function matches({ namespace, labels, fields, shard }: Selection, object: StoredObject): boolean {
  return (
    (namespace === '' || object.namespace === namespace) &&
    (labels.length === 0 || matchesLabels(labels, object.labels)) &&
    (fields.length === 0 || matchesFields(fields, object)) &&
    (shard === undefined || shard.selects(object))
  );
}
