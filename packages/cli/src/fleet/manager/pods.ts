import {
  type ApiClient,
  type DeepReadonly,
  Deployment,
  type Kind,
  type KubernetesObject,
  labelSelectorText,
  Pod,
  Service,
  StatefulSet,
} from '@mcr/core';
import { parseLabelSelector } from '@mcr/core/provider';

/** Name of the container port that is used by default, and its number if no port has the name. */
const METRICS = { name: 'metrics', number: 8080 };
/** Maximum number of Pods of a program. */
const MAX_PODS = 100;

/** The Pods of a program. */
export interface PodSelection {
  readonly namespace: string;
  /** Such as `deploy/copier`, or a label selector. Default: all Pods with a port named `metrics`. */
  readonly manager?: string;
}

type Workload = KubernetesObject & { readonly spec?: { readonly selector?: object | undefined } | undefined };

/** Kinds that select Pods, by the names that kubectl accepts. */
const WORKLOADS: readonly (readonly [kind: Kind<Workload>, names: readonly string[]])[] = [
  [Deployment, ['deploy', 'deployment', 'deployments', 'deployment.apps', 'deployments.apps']],
  [StatefulSet, ['sts', 'statefulset', 'statefulsets', 'statefulset.apps', 'statefulsets.apps']],
  [Service, ['svc', 'service', 'services']],
];
const POD_NAMES: readonly string[] = ['po', 'pod', 'pods'];

/** The kind and the name of a workload. */
export interface Target {
  /** `undefined` for a Pod. */
  readonly workload: Kind<Workload> | undefined;
  readonly name: string;
}

/**
 * Returns the workload that `manager` names, or `undefined` if it is a label selector.
 *
 * @throws {Error} if it is neither.
 */
export function targetOf(manager: string): Target | undefined {
  const [, type = '', name = ''] = /^([a-z.]+)\/([-a-z0-9.]+)$/.exec(manager) ?? [];
  const [workload] = WORKLOADS.find(([, names]) => names.includes(type)) ?? [];
  if (workload || POD_NAMES.includes(type)) return { workload, name };
  if (name !== '' && !type.includes('.'))
    throw new Error('expected deployment/NAME, statefulset/NAME, service/NAME, pod/NAME or a label selector');
  parseLabelSelector(manager);
  return undefined;
}

/** Lists the Pods of a program that have not ended. @throws {Error} if there are none, or if they belong to several programs. */
export async function findPods(
  client: ApiClient,
  { namespace, manager }: PodSelection,
  signal: AbortSignal,
): Promise<readonly DeepReadonly<Pod>[]> {
  const labelSelector = manager === undefined ? undefined : await selectorOf(client, namespace, manager, signal);
  if (typeof labelSelector === 'object') return [labelSelector];
  const options = { namespace, limit: MAX_PODS, signal };
  const list = await client.list(Pod, labelSelector === undefined ? options : { ...options, labelSelector });
  if (list.metadata.continue) throw new Error(`namespace ${namespace} has more than ${MAX_PODS} Pods: set --manager`);
  const pods = list.items.filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed');
  const found = manager === undefined ? pods.filter((pod) => namedPort(pod, METRICS.name) !== undefined) : pods;
  if (found.length === 0) throw new Error(noPods(namespace, manager));
  const programs = new Set(found.map(programOf));
  if (manager === undefined && programs.size > 1)
    throw new Error(`namespace ${namespace} has several programs: set --manager to one of ${[...programs].join(', ')}`);
  return found;
}

/**
 * Returns the number of the port that serves metrics.
 *
 * @param wanted name or number.
 * @throws {Error} if there is no such port, or its number is not one.
 */
export function metricsPort(pod: DeepReadonly<Pod>, wanted?: string): number {
  if (wanted !== undefined && /^\d+$/.test(wanted)) return Number(wanted);
  const port: unknown = namedPort(pod, wanted ?? METRICS.name);
  if (typeof port === 'number' && Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  if (port !== undefined)
    throw new Error(`its containerPort ${wanted ?? METRICS.name} is not a number from 1 to 65535: set --port`);
  if (wanted === undefined) return METRICS.number;
  throw new Error(`the Pod has no port named ${wanted}: set --port to its number`);
}

/** Returns a label selector, or the Pod itself. */
async function selectorOf(
  client: ApiClient,
  namespace: string,
  manager: string,
  signal: AbortSignal,
): Promise<string | DeepReadonly<Pod>> {
  const target = targetOf(manager);
  if (!target) return manager;
  const key = { namespace, name: target.name };
  if (!target.workload) return client.get(Pod, key, { signal });
  const { spec } = await client.get(target.workload, key, { signal });
  // A Service has the labels themselves.
  const selector = spec?.selector;
  return labelSelectorText(target.workload.kind === 'Service' ? { matchLabels: { ...selector } } : selector);
}

function namedPort({ spec }: DeepReadonly<Pod>, name: string): number | undefined {
  const ports = (spec?.containers ?? []).flatMap(({ ports: own }) => own ?? []);
  return ports.find((port) => port.name === name)?.containerPort;
}

/** Returns how `--manager` names the program of a Pod. The name of a ReplicaSet ends with the hash of its template. */
function programOf({ metadata }: DeepReadonly<Pod>): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (!owner) return `pod/${metadata.name}`;
  const hash = metadata.labels?.['pod-template-hash'];
  return owner.kind === 'ReplicaSet' && hash !== undefined
    ? `deployment/${owner.name.slice(0, -hash.length - 1)}`
    : `${owner.kind.toLowerCase()}/${owner.name}`;
}

function noPods(namespace: string, manager: string | undefined): string {
  return manager === undefined
    ? `no Pod in namespace ${namespace} has a port named ${METRICS.name}: set --manager`
    : `no Pod of ${manager} in namespace ${namespace}: is the program running?`;
}
