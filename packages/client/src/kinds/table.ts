import type { KubernetesObject } from './object.ts';

/** A column of a {@link Table}. */
export interface TableColumn {
  name: string;
  /** An OpenAPI type: `string`, `integer`, `number`, `boolean`, `date`. */
  type: string;
  format: string;
  description: string;
  /** 0 for the most important columns; columns with higher numbers appear in wide tables only. */
  priority: number;
}

/** One object of a {@link Table}. */
export interface TableRow<T extends KubernetesObject> {
  /** Values in the order of the columns. */
  cells: unknown[];
  /** The object or its metadata (a `PartialObjectMetadata`), as requested. */
  object?: T | KubernetesObject;
}

/** A list in the server's print form (`meta.k8s.io/v1` Table). */
export interface Table<T extends KubernetesObject> {
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  columnDefinitions: TableColumn[];
  rows: TableRow<T>[];
}
