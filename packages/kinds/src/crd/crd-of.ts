import type { CustomResourceDefinition, Kind, KubernetesObject } from '@mcr/client';
import { checkKind, kindText } from '@mcr/client';
import type { KindSource } from '../kind/kind-source.ts';
import { sourceOf } from '../kind/kind-source.ts';

/** A CustomResourceDefinition to create or apply. */
export interface CrdManifest {
  apiVersion: 'apiextensions.k8s.io/v1';
  kind: 'CustomResourceDefinition';
  metadata: { name: string };
  spec: CustomResourceDefinition['spec'];
}

type CrdVersion = CustomResourceDefinition['spec']['versions'][number];

/**
 * Returns the CustomResourceDefinition of a kind.
 *
 * @throws {TypeError} if the kind has no schema, because `defineKind` of `@mcr/client` declared it.
 */
export function crdOf(kind: Kind<KubernetesObject>): CrdManifest {
  checkKind('crdOf', kind);
  const source = sourceOf(kind);
  if (!source) {
    throw new TypeError(`crdOf: ${kindText(kind)} has no schema: define it with defineKind of @mcr/kinds`);
  }
  return crdOfVersions([source], source);
}

/** @param storage the version that the server stores. */
export function crdOfVersions(sources: readonly KindSource[], storage: KindSource): CrdManifest {
  const { group, scope, names } = storage;
  const { shortNames, categories, ...others } = names;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.${group}` },
    spec: {
      group,
      scope,
      names: {
        ...others,
        ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
        ...(categories.length > 0 && { categories: [...categories] }),
      },
      versions: sources.map((source) => versionOf(source, source === storage)),
    },
  };
}

function versionOf(source: KindSource, storage: boolean): CrdVersion {
  const { version, schema, hasStatus, scale, columns, selectableFields, deprecationWarning } = source;
  // The model's lists are mutable. The copy belongs to the caller.
  const openAPIV3Schema = structuredClone(schema) as NonNullable<NonNullable<CrdVersion['schema']>['openAPIV3Schema']>;
  return {
    name: version,
    served: true,
    storage,
    ...(deprecationWarning !== undefined && { deprecated: true, deprecationWarning }),
    schema: { openAPIV3Schema },
    ...((hasStatus || scale) && {
      subresources: {
        ...(hasStatus && { status: {} }),
        ...(scale && { scale: { ...scale } }),
      },
    }),
    ...(columns.length > 0 && { additionalPrinterColumns: columns.map((column) => ({ ...column })) }),
    ...(selectableFields.length > 0 && { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) }),
  };
}
