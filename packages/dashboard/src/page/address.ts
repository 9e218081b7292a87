import type { Filter } from './filter.ts';
import type { Column, Sorting } from './rows.ts';

export const TABS = ['clusters', 'errors', 'controllers', 'replicas'] as const;
export type Tab = (typeof TABS)[number];

/** The visible part of the fleet. It is in the fragment of the address, so that it can be kept and sent to others. */
export interface View {
  readonly tab: Tab;
  readonly filter: Filter;
  readonly sorting: Sorting;
  /** The cluster in the panel. */
  readonly cluster?: string;
}

const COLUMNS: readonly Column[] = [
  ...(['name', 'phase', 'since', 'owner', 'objects'] as const),
  ...(['reconciles', 'errors', 'lastError', 'reason'] as const),
];

/** Reads the view from a fragment. Ignores what it does not know. */
export function viewOf(fragment: string): View {
  const fields = new URLSearchParams(fragment.replace(/^#/u, ''));
  const sort = fields.get('sort') ?? 'name';
  const cluster = fields.get('cluster');
  return {
    tab: TABS.find((tab) => tab === fields.get('tab')) ?? 'clusters',
    filter: {
      name: fields.get('name') ?? '',
      labels: fields.get('labels') ?? '',
      owner: fields.get('owner') ?? '',
      phases: new Set(fields.getAll('phase')),
    },
    sorting: {
      column: COLUMNS.find((column) => column === sort.replace(/^-/u, '')) ?? 'name',
      descending: sort.startsWith('-'),
    },
    ...(cluster !== null && { cluster }),
  };
}

/** Returns the fragment of a view, with `#`. */
export function fragmentOf({ tab, filter, sorting, cluster }: View): string {
  const fields = new URLSearchParams();
  if (tab !== 'clusters') fields.set('tab', tab);
  for (const field of ['name', 'labels', 'owner'] as const) if (filter[field] !== '') fields.set(field, filter[field]);
  for (const phase of filter.phases) fields.append('phase', phase);
  const sort = `${sorting.descending ? '-' : ''}${sorting.column}`;
  if (sort !== 'name') fields.set('sort', sort);
  if (cluster !== undefined) fields.set('cluster', cluster);
  return `#${fields.toString()}`;
}
