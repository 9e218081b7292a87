import type { ApiObject } from '../storage/stored-object.ts';
import { listAt } from './cells.ts';
import { ageCell } from './columns.ts';
import { scalarText, valueAt } from './resource-type.ts';

/** Cells that `kubectl get pods` prints about a Pod. */
export interface PodSummary {
  readonly ready: string;
  readonly reason: string;
  readonly restarts: string;
}

/** Summarises the states of a Pod's containers (upstream: `printPod` of `pkg/printers/internalversion`). */
export function podStatus(pod: ApiObject): PodSummary {
  const [inits, mains] = ['initContainerStatuses', 'containerStatuses'].map((field) => listAt(pod, `status.${field}`));
  const sidecars = new Set(
    listAt(pod, 'spec.initContainers')
      .filter((container) => valueAt(container, 'restartPolicy') === 'Always')
      .map((container) => valueAt(container, 'name')),
  );
  const isSidecar = (status: unknown): boolean => sidecars.has(valueAt(status, 'name'));
  const waiting = initReason(pod, inits ?? [], isSidecar);
  const isInitialized = hasCondition(pod, 'Initialized');
  const counted =
    waiting === undefined || isInitialized ? [...(inits ?? []).filter(isSidecar), ...(mains ?? [])] : (inits ?? []);
  const isReady = (status: unknown): boolean => valueAt(status, 'ready') === true;
  const readyMains =
    waiting === undefined || isInitialized ? (mains ?? []).filter((each) => isReady(each) && isRunning(each)) : [];
  const ready = readyMains.length + (inits ?? []).filter((each) => isSidecar(each) && isReady(each)).length;
  const total = listAt(pod, 'spec.containers').length + sidecars.size;
  const reason =
    waiting === undefined || isInitialized ? mainReason(pod, mains ?? [], waiting ?? phaseReason(pod)) : waiting;
  return { ready: `${ready}/${total}`, reason: ending(pod, reason), restarts: restartsText(counted) };
}

function hasCondition(pod: ApiObject, type: string): boolean {
  return listAt(pod, 'status.conditions').some(
    (each) => valueAt(each, 'type') === type && valueAt(each, 'status') === 'True',
  );
}

function isRunning(status: unknown): boolean {
  return valueAt(status, 'state.running') !== undefined;
}

function phaseReason(pod: ApiObject): string {
  const gated = listAt(pod, 'status.conditions').some(
    (each) => valueAt(each, 'type') === 'PodScheduled' && valueAt(each, 'reason') === 'SchedulingGated',
  );
  if (gated) return 'SchedulingGated';
  return scalarText(valueAt(pod, 'status.reason')) || scalarText(valueAt(pod, 'status.phase'));
}

/** Returns why the init containers are not done; `undefined` if they are. */
function initReason(
  pod: ApiObject,
  statuses: readonly unknown[],
  isSidecar: (status: unknown) => boolean,
): string | undefined {
  for (const [index, status] of statuses.entries()) {
    const terminated = valueAt(status, 'state.terminated');
    if (terminated !== undefined && valueAt(terminated, 'exitCode') === 0) continue;
    if (isSidecar(status) && valueAt(status, 'started') === true) continue;
    if (terminated !== undefined) return `Init:${endReason(terminated)}`;
    const reason = scalarText(valueAt(status, 'state.waiting.reason'));
    if (reason !== '' && reason !== 'PodInitializing') return `Init:${reason}`;
    return `Init:${index}/${listAt(pod, 'spec.initContainers').length}`;
  }
  return undefined;
}

function endReason(terminated: unknown): string {
  const reason = scalarText(valueAt(terminated, 'reason'));
  if (reason !== '') return reason;
  const signal = valueAt(terminated, 'signal');
  return signal ? `Signal:${scalarText(signal)}` : `ExitCode:${scalarText(valueAt(terminated, 'exitCode'))}`;
}

function mainReason(pod: ApiObject, statuses: readonly unknown[], before: string): string {
  let reason = before;
  let failure = '';
  for (const status of statuses.toReversed()) {
    const terminated = valueAt(status, 'state.terminated');
    const waiting = scalarText(valueAt(status, 'state.waiting.reason'));
    if (waiting !== '') reason = waiting;
    else if (terminated !== undefined) {
      reason = endReason(terminated);
      if (valueAt(terminated, 'exitCode') !== 0) failure = reason;
    }
  }
  if (reason !== 'Completed') return reason;
  const running = statuses.some((status) => valueAt(status, 'ready') === true && isRunning(status));
  if (running && hasCondition(pod, 'Ready')) return 'Running';
  return failure || (running ? 'NotReady' : reason);
}

function ending(pod: ApiObject, reason: string): string {
  if (pod.metadata.deletionTimestamp === undefined) return reason;
  if (valueAt(pod, 'status.reason') === 'NodeLost') return 'Unknown';
  const phase = valueAt(pod, 'status.phase');
  return phase === 'Succeeded' || phase === 'Failed' ? reason : 'Terminating';
}

function restartsText(statuses: readonly unknown[]): string {
  const count = statuses.reduce<number>((sum, status) => sum + Number(valueAt(status, 'restartCount') ?? 0), 0);
  const ends = statuses.map((status) => scalarText(valueAt(status, 'lastState.terminated.finishedAt')));
  const last = ends
    .filter((time) => time !== '')
    .toSorted()
    .at(-1);
  return count === 0 || last === undefined ? String(count) : `${count} (${ageCell(last)} ago)`;
}
