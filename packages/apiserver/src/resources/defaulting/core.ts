import type { JsonObject } from '../../storage/stored-object.ts';
import type { DefaultsTable } from './table.ts';
import { child, fill, fillAbsent, items } from './table.ts';

const ONE_SERVICE_SESSION = 10_800;

function setService(service: JsonObject): void {
  const spec = child(service, 'spec');
  fill(spec, { sessionAffinity: 'None', type: 'ClusterIP' });
  const { type } = spec;
  if (spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig'];
  if (spec['sessionAffinity'] === 'ClientIP') {
    fill(child(child(spec, 'sessionAffinityConfig'), 'clientIP'), { timeoutSeconds: ONE_SERVICE_SESSION });
  }
  for (const port of items(spec, 'ports')) {
    fill(port, { protocol: 'TCP' });
    port['targetPort'] ||= port['port'];
  }
  const external = Array.isArray(spec['externalIPs']) && spec['externalIPs'].length > 0 && type === 'ClusterIP';
  if (type === 'NodePort' || type === 'LoadBalancer' || external) fill(spec, { externalTrafficPolicy: 'Cluster' });
  // The empty text is a value, which is invalid.
  if (type !== 'ExternalName') spec['internalTrafficPolicy'] ??= 'Cluster';
  if (type === 'LoadBalancer') fill(spec, { allocateLoadBalancerNodePorts: true });
}

/** Written because the field is never omitted. */
function setGroup(reference: JsonObject): void {
  reference['apiGroup'] ??= null;
}

function setLimits(item: JsonObject): void {
  if (item['type'] !== 'Container') return;
  const [limits, requests] = [child(item, 'default'), child(item, 'defaultRequest')];
  fill(limits, (item['max'] ?? {}) as JsonObject);
  fill(requests, limits);
  fill(requests, (item['min'] ?? {}) as JsonObject);
  if (Object.keys(limits).length === 0) delete item['default'];
  if (Object.keys(requests).length === 0) delete item['defaultRequest'];
}

/** Defaults of the core group, except Pods (upstream: `pkg/apis/core/v1/defaults.go`). */
export const coreDefaults: DefaultsTable = {
  Namespace: (namespace) => {
    const metadata = child(namespace, 'metadata');
    const { name } = metadata;
    // Label for label selectors (KEP-2161).
    if (name) child(metadata, 'labels')['kubernetes.io/metadata.name'] = name;
    child(namespace, 'spec');
  },
  Service: setService,
  ReplicationController: (controller) => {
    const spec = child(controller, 'spec');
    fill(spec, { replicas: 1 });
    const template = spec['template'] as JsonObject | undefined;
    const labels = (template?.['metadata'] as JsonObject | undefined)?.['labels'] as JsonObject | undefined;
    if (!labels) return;
    const isEmpty = (map: unknown): boolean => Object.keys(map ?? {}).length === 0;
    if (isEmpty(spec['selector'])) spec['selector'] = { ...labels };
    const metadata = child(controller, 'metadata');
    if (isEmpty(metadata['labels'])) metadata['labels'] = { ...labels };
  },
  PersistentVolume: (volume) => {
    child(volume, 'spec');
    child(volume, 'status');
  },
  PersistentVolumeSpec: (spec) => {
    fill(spec, { persistentVolumeReclaimPolicy: 'Retain' });
    fillAbsent(spec, { volumeMode: 'Filesystem' });
  },
  PersistentVolumeClaim: (claim) => {
    child(claim, 'spec');
  },
  PersistentVolumeClaimSpec: (spec) => {
    fillAbsent(spec, { volumeMode: 'Filesystem', resources: {} });
  },
  TypedLocalObjectReference: setGroup,
  TypedObjectReference: setGroup,
  EndpointPort: (port) => fill(port, { protocol: 'TCP' }),
  LimitRange: (range) => {
    child(range, 'spec')['limits'] ??= null;
  },
  LimitRangeItem: setLimits,
  NodeSpec: (spec) => {
    // The first block counts if both fields name one.
    const [first, blocks] = [spec['podCIDR'], items(spec, 'podCIDRs') as unknown[]];
    if (first && blocks[0] !== first) spec['podCIDRs'] = [first];
    if (!first && blocks.length > 0) spec['podCIDR'] = blocks[0];
  },
  NodeCondition: (condition) => {
    // Times are never omitted.
    for (const field of ['lastHeartbeatTime', 'lastTransitionTime']) condition[field] ??= null;
  },
  NodeStatus: (status) => {
    if (status['capacity'] && !status['allocatable']) status['allocatable'] = structuredClone(status['capacity']);
  },
  PodTemplate: (template) => {
    child(template, 'template');
  },
};
