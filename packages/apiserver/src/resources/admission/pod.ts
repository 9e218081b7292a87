import type { ClusterStore } from '../../storage/cluster-store.ts';
import type { JsonObject } from '../../storage/stored-object.ts';
import { parseStored } from '../../storage/stored-object.ts';
import { StatusError } from '../../status.ts';
import { listAt } from '../cells.ts';
import type { AdmissionContext, Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { now } from '../timestamp.ts';
import { copyAppArmorProfiles } from './app-armor.ts';
import { mergeLabelKeys } from './label-keys.ts';
import { qualityOfService } from './quality-of-service.ts';
import { requireKnownOverhead, setRuntimeClass } from './runtime-class.ts';

const TOLERATED = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
const TOLERATION_SECONDS = 300;

/**
 * Sets the first status of a Pod, and what the admission plugins Priority and DefaultTolerationSeconds set.
 *
 * @throws {StatusError} 403 if there is no such PriorityClass, or the Pod has another priority.
 */
export function admitPod({ object, previous, warn }: Change, { store, nameInErrors }: AdmissionContext): void {
  const spec = object['spec'] as JsonObject;
  if (previous) {
    for (const field of ['priority', 'preemptionPolicy']) {
      const before = valueAt(previous, `spec.${field}`);
      if (before !== undefined) spec[field] ??= before;
    }
  } else {
    object['status'] = { phase: 'Pending', qosClass: qualityOfService(spec), ...gatedCondition(spec) };
    setPriority(nameInErrors, spec, store);
    mergeLabelKeys(object);
  }
  setTolerations(spec);
  if (previous) return;
  setRuntimeClass(spec, store, (why) => refused(nameInErrors, why));
  copyAppArmorProfiles(object, warn);
}

/** Checks a valid new Pod (upstream: the validating part of the admission plugin RuntimeClass). @throws {StatusError} 403 */
export function admitValidPod({ object }: Change, { store }: AdmissionContext): void {
  requireKnownOverhead(object['spec'] as JsonObject, store, (why) => refused(object.metadata.name, why));
}

function gatedCondition(spec: JsonObject): object {
  if (listAt(spec, 'schedulingGates').length === 0) return {};
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: now(),
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  };
  return { conditions: [condition] };
}

function setPriority(pod: string, spec: JsonObject, store: ClusterStore): void {
  const classes = store.resource('priorityclasses.scheduling.k8s.io');
  const wanted = scalarText(spec['priorityClassName']);
  const isDefault = (each: JsonObject): boolean => each['globalDefault'] === true;
  const found =
    wanted === ''
      ? classes
          .list('')
          .map((stored) => parseStored(stored))
          .filter(isDefault)
          .toSorted((a, b) => Number(a['value']) - Number(b['value']))[0]
      : storedClass(store, wanted);
  if (wanted !== '' && !found) throw refused(pod, `no PriorityClass with name ${wanted} was found`);
  if (wanted === '' && found) spec['priorityClassName'] = found.metadata.name;
  const priority = found?.['value'] ?? 0;
  const policy = found?.['preemptionPolicy'] ?? 'PreemptLowerPriority';
  if (spec['priority'] !== undefined && spec['priority'] !== priority) {
    throw refused(
      pod,
      `the integer value of priority (${scalarText(spec['priority'])}) must not be provided in pod spec; priority admission controller computed ${scalarText(priority)} from the given PriorityClass name`,
    );
  }
  if (spec['preemptionPolicy'] !== undefined && spec['preemptionPolicy'] !== policy) {
    throw refused(
      pod,
      `the string value of PreemptionPolicy (${scalarText(spec['preemptionPolicy'])}) must not be provided in pod spec; priority admission controller computed ${scalarText(policy)} from the given PriorityClass name`,
    );
  }
  Object.assign(spec, { priority, preemptionPolicy: policy });
}

function storedClass(store: ClusterStore, name: string): ReturnType<typeof parseStored> | undefined {
  const stored = store.resource('priorityclasses.scheduling.k8s.io').get(name);
  return stored && parseStored(stored);
}

function refused(pod: string, why: string): StatusError {
  return new StatusError(403, 'Forbidden', `pods ${JSON.stringify(pod)} is forbidden: ${why}`, {
    name: pod,
    kind: 'pods',
  });
}

function setTolerations(spec: JsonObject): void {
  const tolerations = listAt(spec, 'tolerations');
  const isTolerated = (key: string): boolean =>
    tolerations.some((toleration) => {
      const of = scalarText(valueAt(toleration, 'key'));
      const effect = scalarText(valueAt(toleration, 'effect'));
      return (of === key || of === '') && (effect === 'NoExecute' || effect === '');
    });
  const added = TOLERATED.filter((key) => !isTolerated(key)).map((key) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: TOLERATION_SECONDS,
  }));
  if (added.length > 0) spec['tolerations'] = [...tolerations, ...added];
}
