import type { ClusterRow, ClustersEvent } from '../protocol.ts';
import { phaseOrder } from './phases.ts';

/** Columns by which the table can be sorted. */
export type Column =
  'name' | 'phase' | 'since' | 'owner' | 'objects' | 'reconciles' | 'errors' | 'lastError' | 'reason';

export interface Sorting {
  readonly column: Column;
  readonly descending: boolean;
}

/** The clusters that the server has sent. */
export class Rows {
  #rows = new Map<string, ClusterRow>();
  /** A snapshot that is not complete. */
  #incoming: Map<string, ClusterRow> | undefined;
  /** Set once a snapshot was complete. */
  isLoaded = false;

  /** Applies an event. @returns whether the rows have changed. */
  apply({ reset, complete, removed, rows }: ClustersEvent): boolean {
    // The first rows are shown at once. Those of a reconnect replace the old ones when they are complete.
    if (reset) this.#incoming = this.isLoaded ? new Map() : (this.#rows = new Map());
    const target = this.#incoming ?? this.#rows;
    for (const name of removed) target.delete(name);
    for (const row of rows) target.set(row.name, row);
    if (complete && this.#incoming) {
      this.#rows = this.#incoming;
      this.#incoming = undefined;
    }
    this.isLoaded ||= complete;
    return target === this.#rows;
  }

  get size(): number {
    return this.#rows.size;
  }

  get(name: string): ClusterRow | undefined {
    return this.#rows.get(name);
  }

  all(): ClusterRow[] {
    return [...this.#rows.values()];
  }
}

/** Sorts rows in place. Rows that are equal are sorted by name. */
export function sortRows(rows: ClusterRow[], { column, descending }: Sorting): ClusterRow[] {
  const value = VALUES[column];
  const sign = descending ? -1 : 1;
  return rows.sort((a, b) => sign * compare(value(a), value(b)) || compare(a.name, b.name));
}

const VALUES: Readonly<Record<Column, (row: ClusterRow) => string | number>> = {
  name: ({ name }) => name,
  phase: ({ phase }) => phaseOrder(phase),
  // The shortest time first.
  since: ({ since }) => -since,
  owner: ({ owner = '' }) => owner,
  objects: ({ objects }) => objects,
  reconciles: ({ reconciles }) => reconciles,
  errors: ({ errors }) => errors,
  lastError: ({ lastErrorAt = 0 }) => lastErrorAt,
  reason: ({ reason }) => reason,
};

function compare(a: string | number, b: string | number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
