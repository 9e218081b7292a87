import { isDeepStrictEqual } from 'node:util';
import type { ApiObject, JsonObject } from '../storage/stored-object.ts';
import { listAt } from './cells.ts';
import { isEmpty } from './validation/rules.ts';
import type { Change } from './resource-type.ts';
import { valueAt } from './resource-type.ts';

/**
 * Fields whose feature gates are off in Kubernetes v1.35. A real server accepts and drops them. (Upstream:
 * `pkg/features/kube_features.go`, and the functions `dropDisabledFields` of each kind.)
 */
export interface GatedFields {
  /** Paths in the object. A part that ends with `[]` stands for every item of a list or map. */
  readonly paths: readonly string[];
  /** Path of the spec of Pods. */
  readonly podSpec?: string;
  /** Whether a write of the status keeps the fields, and later writes with it. Default: false. */
  readonly keptInStatus?: boolean;
}

const CONTAINERS = ['containers', 'initContainers', 'ephemeralContainers'];
const STATUSES = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'];

/** Paths in the spec of Pods. */
const ofPodSpec: readonly string[] = [
  // GenericWorkload
  'workloadRef',
  // PodCertificateRequest, ClusterTrustBundleProjection
  'volumes[].projected.sources[].podCertificate',
  'volumes[].projected.sources[].clusterTrustBundle',
];

/** Paths in the spec of claims to devices. */
const ofClaimSpec: readonly string[] = [
  // DRAConsumableCapacity
  'devices.constraints[].distinctAttribute',
  'devices.requests[].exactly.capacity',
  'devices.requests[].firstAvailable[].capacity',
  // DRADeviceTaints
  'devices.requests[].exactly.tolerations',
  'devices.requests[].firstAvailable[].tolerations',
];

const ofDevice: readonly string[] = [
  // DRAConsumableCapacity
  'allowMultipleAllocations',
  'capacity[].requestPolicy',
  // DRADeviceBindingConditions
  'bindingConditions',
  'bindingFailureConditions',
  'bindsToNode',
  // DRADeviceTaints
  'taints',
  // DRAPartitionableDevices
  'allNodes',
  'consumesCounters',
  'nodeName',
  'nodeSelector',
];

const under = (path: string, fields: readonly string[]): string[] => fields.map((field) => `${path}.${field}`);

const WORKLOAD: GatedFields = { paths: [], podSpec: 'spec.template.spec' };

const gated: Readonly<Record<string, GatedFields>> = {
  CronJob: { paths: [], podSpec: 'spec.jobTemplate.spec.template.spec' },
  DaemonSet: WORKLOAD,
  Deployment: WORKLOAD,
  // DRAExtendedResource
  DeviceClass: { paths: ['spec.extendedResourceName'] },
  Job: WORKLOAD,
  // NodeDeclaredFeatures
  Node: { paths: ['status.declaredFeatures'], keptInStatus: true },
  Pod: {
    podSpec: 'spec',
    paths: [
      // InPlacePodLevelResourcesVerticalScaling
      'status.resources',
      'status.allocatedResources',
      // DRAExtendedResource
      'status.extendedResourceClaimStatus',
      // ResourceHealthStatus
      ...STATUSES.map((list) => `status.${list}[].allocatedResourcesStatus`),
    ],
  },
  PodTemplate: { paths: [], podSpec: 'template.spec' },
  ReplicaSet: WORKLOAD,
  ResourceClaim: {
    paths: [
      ...under('spec', ofClaimSpec),
      // DRAConsumableCapacity, DRADeviceBindingConditions
      ...under('status.allocation.devices.results[]', [
        'shareID',
        'consumedCapacity',
        'bindingConditions',
        'bindingFailureConditions',
      ]),
      'status.devices[].shareID',
    ],
  },
  ResourceClaimTemplate: { paths: under('spec.spec', ofClaimSpec) },
  ResourceSlice: {
    paths: [...under('spec.devices[]', ofDevice), 'spec.sharedCounters', 'spec.perDeviceNodeSelection'],
  },
  ReplicationController: WORKLOAD,
  // MaxUnavailableStatefulSet
  StatefulSet: { ...WORKLOAD, paths: ['spec.updateStrategy.rollingUpdate.maxUnavailable'] },
};

/** Drops the fields of an object whose feature gates are off, in place. */
export function dropGatedFields(kind: string, { object, previous, subresource }: Change): void {
  if (kind === 'PersistentVolumeClaim') dropOtherNamespace(object, previous);
  const fields = Object.hasOwn(gated, kind) ? gated[kind] : undefined;
  if (!fields) return;
  const { paths, podSpec, keptInStatus = false } = fields;
  if (keptInStatus && (subresource === 'status' || paths.some((path) => valueAt(previous, path) !== undefined))) return;
  for (const path of paths) drop(object, path.split('.'));
  if (podSpec === undefined) return;
  for (const path of ofPodSpec) drop(object, `${podSpec}.${path}`.split('.'));
  for (const list of CONTAINERS) dropStopSignals(listAt(object, `${podSpec}.${list}`));
}

/** Drops the stop signal of containers, and a lifecycle without handlers with it (ContainerStopSignals). */
function dropStopSignals(containers: readonly unknown[]): void {
  for (const container of containers) {
    if (valueAt(container, 'lifecycle.stopSignal') === undefined) continue;
    drop(container, ['lifecycle', 'stopSignal']);
    if (isDeepStrictEqual(valueAt(container, 'lifecycle'), {})) drop(container, ['lifecycle']);
  }
}

/** Drops a source of another namespace from a new claim (CrossNamespaceVolumeDataSource). */
function dropOtherNamespace(claim: ApiObject, previous: ApiObject | undefined): void {
  if (isEmpty(valueAt(claim, 'spec.dataSourceRef.namespace'))) return;
  if (valueAt(previous, 'spec.dataSourceRef') === undefined) drop(claim, ['spec', 'dataSourceRef']);
}

function drop(value: unknown, [step = '', ...rest]: readonly string[]): void {
  if (typeof value !== 'object' || value === null) return;
  const holder = value as JsonObject;
  const name = step.replace(/\[\]$/u, '');
  if (!Object.hasOwn(holder, name)) return;
  const child = holder[name];
  if (rest.length === 0) Reflect.deleteProperty(holder, name);
  else if (name === step) drop(child, rest);
  else for (const item of Object.values(child ?? {})) drop(item, rest);
}
