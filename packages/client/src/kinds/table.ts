import type { KubernetesObject } from './object.ts';

/** A column of a {@link Table}. */
export interface TableColumn {
  name: string;
  /** An OpenAPI type: `string`, `integer`, `number`, `boolean`, `date`. */
  type: string;
  format: string;
  description: string;
  /** 0 for the columns that matter most; higher ones are for wide tables. */
  priority: number;
}

/** One object of a {@link Table}. */
export interface TableRow<T extends KubernetesObject> {
  /** In the order of the columns. */
  cells: unknown[];
  /** The whole object, or its metadata alone (a `PartialObjectMetadata`), as was asked for. */
  object?: T | KubernetesObject;
}

/** A list as a server shows it to people (`meta.k8s.io/v1` Table). */
export interface Table<T extends KubernetesObject> {
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  columnDefinitions: TableColumn[];
  rows: TableRow<T>[];
}
