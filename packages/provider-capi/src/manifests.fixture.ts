import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EmbeddedClusterOptions } from '@mcr/envtest';
import { parse } from 'yaml';

type Manifest = NonNullable<EmbeddedClusterOptions['crds']>[number];

/** The definition that this package ships. */
export const clusterDefinition = parse(
  readFileSync(join(import.meta.dirname, '..', 'manifests', 'cluster.k8s.io_clusters.yaml'), 'utf8'),
) as Manifest;

/**
 * What of Cluster API's own definition the provider has to do with, in these versions of it.
 *
 * @param options.typed whether `spec` and `status` have to be objects. Default: true.
 */
export function capiDefinition(versions: readonly string[], { typed = true } = {}): Manifest {
  const anything = { ...(typed && { type: 'object' }), 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'clusters.cluster.x-k8s.io' },
    spec: {
      group: 'cluster.x-k8s.io',
      scope: 'Namespaced',
      names: { kind: 'Cluster', plural: 'clusters', singular: 'cluster', shortNames: ['cl'] },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } },
      })),
    },
  };
}
