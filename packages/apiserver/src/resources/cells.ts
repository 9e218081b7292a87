import type { ApiObject } from '../storage/stored-object.ts';
import { ageCell } from './columns.ts';
import type { Column } from './resource-type.ts';
import { scalarText, valueAt } from './resource-type.ts';

/** Cells of tables with a form of their own (upstream: `pkg/printers/internalversion`). */

const NONE = '<none>';

/** Returns the list at a dotted path; empty if there is none. */
export function listAt(object: unknown, path: string): readonly unknown[] {
  const value = valueAt(object, path);
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** Returns the texts of a field of each item of a list, separated by commas. */
export function joined(items: readonly unknown[], field: string): string {
  return items.map((item) => scalarText(valueAt(item, field))).join(',');
}

/** Returns labels as `key=value`, in the order of their keys. */
export function labelsText(labels: unknown): string {
  const entries = Object.entries((labels ?? {}) as Record<string, unknown>).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? NONE : entries.map(([key, value]) => `${key}=${scalarText(value)}`).join(',');
}

/** Returns a column with the age of the time at a dotted path. */
export function agoColumn(name: string, path: string): Column {
  const cell = (object: ApiObject): string => {
    const time = valueAt(object, path);
    return time === undefined ? NONE : ageCell(time);
  };
  return { name, type: 'string', cell };
}

/** Returns a column with a boolean at a dotted path. */
export function flagColumn(name: string, path: string): Column {
  return { name, type: 'boolean', cell: (object) => valueAt(object, path) ?? false };
}

/** Returns the wide columns of a workload: containers, images, and the labels that it selects. */
export function templateColumns(podSpec: string, selector?: string): Column[] {
  const wide = { type: 'string', priority: 1 } as const;
  const containers = (object: ApiObject): readonly unknown[] => listAt(object, `${podSpec}.containers`);
  return [
    { name: 'Containers', ...wide, cell: (object) => joined(containers(object), 'name') },
    { name: 'Images', ...wide, cell: (object) => joined(containers(object), 'image') },
    ...(selector === undefined ? [] : [{ name: 'Selector', ...wide, cell: templateSelectorCell(selector) }]),
  ];
}

/** Like {@link selectorCell}: a Deployment without a selector, or with an empty one, shows nothing. */
function templateSelectorCell(path: string): (object: ApiObject) => string {
  const cell = selectorCell(path);
  return (object) => {
    const text = cell(object);
    return text === NONE && object.kind === 'Deployment' ? '' : text;
  };
}

/** Returns the cell of a label selector, or of a map of labels. */
export function selectorCell(path: string): (object: ApiObject) => string {
  return (object) => {
    const selector = valueAt(object, path);
    if (selector === undefined) return NONE;
    const expressions = listAt(selector, 'matchExpressions');
    const isSelector = valueAt(selector, 'matchLabels') !== undefined || expressions.length > 0;
    const labels = isSelector ? valueAt(selector, 'matchLabels') : selector;
    const texts = expressions.map(expressionText);
    if (Object.keys(labels ?? {}).length > 0) texts.unshift(labelsText(labels));
    return texts.length === 0 ? NONE : texts.join(',');
  };
}

function expressionText(expression: unknown): string {
  const key = scalarText(valueAt(expression, 'key'));
  const values = listAt(expression, 'values').map(scalarText).toSorted().join(',');
  switch (valueAt(expression, 'operator')) {
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    case 'NotIn':
      return `${key} notin (${values})`;
    default:
      return `${key} in (${values})`;
  }
}

/** Returns the access modes of a volume in their short form, in the order of upstream. */
export function accessModesText(modes: readonly unknown[]): string {
  const short = { ReadWriteOnce: 'RWO', ReadOnlyMany: 'ROX', ReadWriteMany: 'RWX', ReadWriteOncePod: 'RWOP' };
  return Object.entries(short)
    .filter(([mode]) => modes.includes(mode))
    .map(([, text]) => text)
    .join(',');
}
