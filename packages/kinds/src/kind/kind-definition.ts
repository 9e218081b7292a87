import type { Kind, KubernetesObject, Scope } from '@mcr/client';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import type { CrdColumn } from './printer-columns.ts';
import type { ScalePaths } from './subresources.ts';

/** The parts of a CustomResourceDefinition that one version of a kind determines, as `defineKind` computed them. */
export interface KindDefinition {
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
  /** The annotation `api-approved.kubernetes.io`. */
  readonly approval: string | undefined;
  /** Schema of the whole object. */
  readonly schema: StructuralSchema;
  readonly hasStatus: boolean;
  readonly columns: readonly CrdColumn[];
  readonly scale: ScalePaths | undefined;
  readonly selectableFields: readonly string[];
  readonly deprecationWarning: string | undefined;
}

/** Also found by another copy of this package. */
const DEFINITION = Symbol.for('@mcr/kinds/definition');

/** Returns a kind with its definition. */
export function withDefinition<K extends Kind<KubernetesObject>>(kind: K, definition: KindDefinition): K {
  return Object.freeze({ ...kind, [DEFINITION]: definition });
}

/** Returns the definition of a kind; `undefined` for a kind that another package declared. */
export function definitionOf(kind: Kind<KubernetesObject>): KindDefinition | undefined {
  return (kind as { readonly [DEFINITION]?: KindDefinition })[DEFINITION];
}
