import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EmbeddedClusterOptions } from '@mcr/envtest';
import { parse } from 'yaml';

/** The CustomResourceDefinition of this package. */
export const clusterProfileDefinition = parse(
  readFileSync(join(import.meta.dirname, '..', 'manifests', 'multicluster.x-k8s.io_clusterprofiles.yaml'), 'utf8'),
) as NonNullable<EmbeddedClusterOptions['crds']>[number];
