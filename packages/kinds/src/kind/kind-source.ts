import type { Kind, KubernetesObject, Scope } from '@mcr/client';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import type { CrdColumn } from './printer-columns.ts';
import type { ScalePaths } from './subresources.ts';

/** The parts of a CustomResourceDefinition that one version of a kind determines. */
export interface KindSource {
  readonly group: string;
  readonly version: string;
  readonly scope: Scope;
  readonly names: {
    readonly kind: string;
    readonly listKind: string;
    readonly plural: string;
    readonly singular: string;
    readonly shortNames: readonly string[];
    readonly categories: readonly string[];
  };
  /** Schema of the whole object. */
  readonly schema: StructuralSchema;
  readonly hasStatus: boolean;
  readonly columns: readonly CrdColumn[];
  readonly scale: ScalePaths | undefined;
  readonly selectableFields: readonly string[];
  readonly deprecationWarning: string | undefined;
}

/** Also found by another copy of this package. */
const SOURCE = Symbol.for('@mcr/kinds/source');

/** Returns a kind with its source. */
export function withSource<K extends Kind<KubernetesObject>>(kind: K, source: KindSource): K {
  return Object.freeze({ ...kind, [SOURCE]: source });
}

/** Returns the source of a kind; `undefined` for a kind that another package declared. */
export function sourceOf(kind: Kind<KubernetesObject>): KindSource | undefined {
  return (kind as { readonly [SOURCE]?: KindSource })[SOURCE];
}
