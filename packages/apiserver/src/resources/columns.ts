import { humanDuration } from '@mcr/client';
import type { ApiObject } from '../storage/stored-object.ts';
import type { Column } from './resource-type.ts';
import { valueAt } from './resource-type.ts';

/** Returns the text of a table cell with the age of a timestamp. */
export function ageCell(timestamp: unknown): string {
  if (typeof timestamp !== 'string') return '<unknown>';
  return humanDuration(Date.now() - Date.parse(timestamp));
}

export const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name must be unique within a namespace.',
  // A bookmark has no name.
  cell: ({ metadata }) => valueAt(metadata, 'name') ?? '',
};

export const ageColumn: Column = {
  name: 'Age',
  type: 'string',
  description: 'Time since the object was created.',
  cell: ({ metadata }) => ageCell(metadata.creationTimestamp),
};

/** Go's zero time, which a bookmark shows. */
const ZERO_TIME = '0001-01-01T00:00:00Z';

/**
 * Columns of the built-in kinds for which kube-apiserver declares none. Their Tables without objects have no rows
 * (`null`), other ones an empty list. (Upstream: `NewDefaultTableConvertor`.)
 */
export const defaultColumns: readonly Column[] = [
  nameColumn,
  { name: 'Created At', type: 'date', cell: ({ metadata }) => valueAt(metadata, 'creationTimestamp') ?? ZERO_TIME },
];

/** Returns a column with the text at a dotted path. */
export function textColumn(name: string, path: string, fallback = ''): Column {
  return { name, type: 'string', cell: (object) => valueAt(object, path) ?? fallback };
}

/** Returns a column with the number at a dotted path. */
export function numberColumn(name: string, path: string): Column {
  return { name, type: 'integer', cell: (object) => valueAt(object, path) ?? 0 };
}

/** Returns a column with the number of entries of the objects or arrays at dotted paths. */
export function countColumn(name: string, ...paths: readonly string[]): Column {
  const count = (object: ApiObject): number =>
    paths.reduce((sum, path) => sum + Object.keys(valueAt(object, path) ?? {}).length, 0);
  // Upstream declares these columns as strings and sends numbers.
  return { name, type: 'string', cell: count };
}
