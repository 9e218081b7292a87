import type { DeepReadonly, KubernetesObject } from '@mcr/client';
import * as z from 'zod';
import { checkedField } from './inventory-object.ts';
import type { ClusterInfo } from '../fleet/cluster/cluster.ts';

const labelsSchema = z.record(z.string(), z.string('expected a string'), 'expected an object').nullish();

/** Label of an inventory object: the clusterset that its cluster belongs to (KEP-4322). */
export const CLUSTERSET_LABEL = 'multicluster.x-k8s.io/clusterset';

/** Property of a cluster: the clusterset that it belongs to (KEP-2149). */
export const CLUSTERSET_PROPERTY = 'clusterset.k8s.io';

/**
 * Returns the metadata of a cluster from its inventory object. The cluster gets the object's labels, and the value of
 * {@link CLUSTERSET_LABEL} as the property {@link CLUSTERSET_PROPERTY}.
 *
 * @param options.provider type of the provider, for example `kubeconfig`.
 * @param options.properties further properties of the cluster. Default: none.
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
