import type { DeepReadonly, KubernetesObject } from '@mcr/client';
import { z } from 'zod';
import { checkedField } from './inventory-object.ts';
import type { ClusterInfo } from '../fleet/cluster/cluster.ts';

const labelsSchema = z.record(z.string(), z.string('expected a string'), 'expected an object').nullish();

/** On an object that stands for a cluster: of which clusterset the cluster is (KEP-4322). */
export const CLUSTERSET_LABEL = 'multicluster.x-k8s.io/clusterset';

/** The property that says of which clusterset a cluster is (KEP-2149). */
export const CLUSTERSET_PROPERTY = 'clusterset.k8s.io';

/**
 * What the object that stands for a cluster says of it: its labels are the cluster's, and {@link CLUSTERSET_LABEL} becomes
 * {@link CLUSTERSET_PROPERTY}.
 *
 * @param options.provider the kind of provider.
 * @param options.properties what else is known. Default: nothing.
 * @throws {TerminalError} if a label is not a string.
 */
export function infoOf(
  { apiVersion, kind, metadata }: DeepReadonly<KubernetesObject>,
  { provider, properties = {} }: { readonly provider: string; readonly properties?: ClusterInfo['properties'] },
): Omit<ClusterInfo, 'version'> {
  const labels = { ...checkedField('metadata.labels', labelsSchema, metadata.labels) };
  const clusterset = labels[CLUSTERSET_LABEL];
  return {
    provider,
    labels,
    properties: { ...properties, ...(clusterset && { [CLUSTERSET_PROPERTY]: clusterset }) },
    origin: { apiVersion, kind, metadata },
  };
}
