import { isDeepStrictEqual } from 'node:util';
import { StatusError } from '../../status.ts';
import type { ClusterStore } from '../../storage/cluster-store.ts';
import type { ApiObject, JsonObject } from '../../storage/stored-object.ts';
import { parseStored } from '../../storage/stored-object.ts';
import { listAt } from '../cells.ts';
import { pathSegmentErrors } from '../names.ts';
import { valueAt } from '../resource-type.ts';

/**
 * Sets what the RuntimeClass of a new Pod says: its overhead and its scheduling (upstream: the admission plugin RuntimeClass).
 *
 * @throws {StatusError} 403 if there is no such RuntimeClass, or the Pod contradicts it.
 */
export function setRuntimeClass(spec: JsonObject, store: ClusterStore, refused: (why: string) => StatusError): void {
  const found = runtimeClass(spec['runtimeClassName'], store, refused);
  const overhead = valueAt(found, 'overhead.podFixed') as JsonObject | undefined;
  const own = spec['overhead'] as JsonObject | undefined;
  const isGiven = valueAt(found, 'overhead') !== undefined;
  if (isGiven && own !== undefined && !isDeepStrictEqual(own, overhead ?? {})) {
    throw refused("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  }
  if (overhead !== undefined) spec['overhead'] = overhead;
  setScheduling(spec, found, refused);
}

/** A Pod has an overhead only if its RuntimeClass has one. @throws {StatusError} 403 */
export function requireKnownOverhead(
  spec: JsonObject,
  store: ClusterStore,
  refused: (why: string) => StatusError,
): void {
  if (spec['overhead'] === undefined) return;
  if (valueAt(runtimeClass(spec['runtimeClassName'], store, refused), 'overhead') !== undefined) return;
  throw refused('pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
}

function runtimeClass(
  name: unknown,
  store: ClusterStore,
  refused: (why: string) => StatusError,
): ApiObject | undefined {
  if (typeof name !== 'string') return undefined;
  if (name === '') throw new StatusError(500, undefined, 'resource name may not be empty');
  const faults = pathSegmentErrors(name);
  if (faults.length > 0) {
    throw new StatusError(500, undefined, `invalid resource name ${JSON.stringify(name)}: [${faults.join(' ')}]`);
  }
  const stored = store.resource('runtimeclasses.node.k8s.io').get(name);
  if (!stored) throw refused(`pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
  return parseStored(stored);
}

function setScheduling(spec: JsonObject, found: ApiObject | undefined, refused: (why: string) => StatusError): void {
  const scheduling = valueAt(found, 'scheduling');
  if (scheduling === undefined) return;
  const selector = { ...(spec['nodeSelector'] as Record<string, string> | undefined) };
  const wanted = (valueAt(scheduling, 'nodeSelector') ?? {}) as Record<string, string>;
  for (const [key, value] of Object.entries(wanted)) {
    const own = selector[key];
    if (own !== undefined && own !== value) {
      const [theirs, ours] = ['runtimeClass.scheduling', 'pod.spec'].map((of) => `${of}.nodeSelector[${key}]`);
      throw refused(`conflict: ${theirs} = ${value}; ${ours} = ${own}`);
    }
    selector[key] = value;
  }
  if (Object.keys(selector).length > 0) spec['nodeSelector'] = selector;
  const tolerations = merged([...listAt(spec, 'tolerations'), ...listAt(scheduling, 'tolerations')]);
  if (tolerations.length > 0) spec['tolerations'] = tolerations;
}

/** Removes the tolerations that others include (upstream: `MergeTolerations`). */
function merged(all: readonly unknown[]): unknown[] {
  const kept: unknown[] = [];
  for (const [index, toleration] of all.entries()) {
    const isCovered =
      kept.some((other) => includes(other, toleration)) ||
      all.slice(index + 1).some((other) => !isDeepStrictEqual(other, toleration) && includes(other, toleration));
    if (!isCovered) kept.push(toleration);
  }
  return kept;
}

function includes(wide: unknown, narrow: unknown): boolean {
  if (isDeepStrictEqual(wide, narrow)) return true;
  const [key, operator, effect, value] = ['key', 'operator', 'effect', 'value'].map((field) => {
    return [valueAt(wide, field) ?? '', valueAt(narrow, field) ?? ''] as const;
  });
  if (!key || !operator || !effect || !value) return false;
  if (key[0] !== key[1] && (key[0] !== '' || operator[0] !== 'Exists')) return false;
  if (effect[0] !== effect[1] && effect[0] !== '') return false;
  const [most, seconds] = [wide, narrow].map((each) => valueAt(each, 'tolerationSeconds'));
  if (effect[0] === 'NoExecute' && most !== undefined) {
    if (seconds === undefined || Number(seconds) > Number(most)) return false;
  }
  if (operator[0] === 'Exists') return true;
  return (operator[0] === 'Equal' || operator[0] === '') && operator[1] === 'Equal' && value[0] === value[1];
}
