import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EmbeddedClusterOptions } from '@mcr/envtest';
import { parse } from 'yaml';

type Manifest = NonNullable<EmbeddedClusterOptions['crds']>[number];

/** The CustomResourceDefinition of this package. */
export const clusterDefinition = parse(
  readFileSync(join(import.meta.dirname, '..', 'manifests', 'cluster.k8s.io_clusters.yaml'), 'utf8'),
) as Manifest;

/**
 * Returns a definition with the fields of Cluster API that the provider reads, in the given versions.
 *
 * @param options.typed whether `spec` and `status` must be objects. Default: true.
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
