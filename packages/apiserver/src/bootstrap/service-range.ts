import { builtInTypes } from '../resources/kind-table.ts';
import { store as storeAs } from '../resources/resource-type.ts';
import type { ClusterStore } from '../storage/cluster-store.ts';
import type { ManagedFieldsEntry } from '../apply/managed-fields.ts';
import { parseStored } from '../storage/stored-object.ts';

const type = builtInTypes.find(({ kind }) => kind === 'ServiceCIDR');

/** Reports the first ServiceCIDR as ready (upstream: `pkg/controlplane/controller/defaultservicecidr`). */
export function reportReadyRange(store: ClusterStore): void {
  const previous = type && store.resource(type.storage).get('kubernetes');
  if (!previous) return;
  const object = parseStored(previous);
  const { metadata } = object;
  const time = metadata.creationTimestamp;
  const message = 'Kubernetes default Service CIDR is ready';
  object['status'] = {
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: time, reason: '', message }],
  };
  const condition = { '.': {}, 'f:lastTransitionTime': {}, 'f:message': {}, 'f:status': {}, 'f:type': {} };
  const owner: ManagedFieldsEntry = {
    manager: 'kubernetes-service-cidr-controller',
    operation: 'Apply',
    apiVersion: object.apiVersion,
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:status': { 'f:conditions': { 'k:{"type":"Ready"}': condition } } },
    subresource: 'status',
  };
  metadata.managedFields = [owner, ...(metadata.managedFields ?? [])];
  store.write((version) => {
    metadata.resourceVersion = String(version);
    return { type: 'MODIFIED', object: storeAs(type, object), previous };
  });
}
