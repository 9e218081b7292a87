import { present, scalarText, valueAt } from '../resources/resource-type.ts';
import { timeFault } from '../resources/metadata-types.ts';
import type { FieldError } from '../status.ts';
import { badRequest, invalid, invalidField, methodNotAllowed, notFound, notImplemented } from '../status.ts';
import type { Backend, Target } from '../verbs/target.ts';
import { get } from '../verbs/target.ts';
import { containerOf } from './container.ts';
import type { Exchange } from './exchange.ts';
import { integerOf, requireIntegers } from '../verbs/query-numbers.ts';

/** Annotation of a Pod with the log of a container: `logs.mcr.dev/<container>`. */
const LOG_ANNOTATION = 'logs.mcr.dev/';

/**
 * Serves the log of a container: the text that a test put into an annotation of the Pod, with `tailLines` and
 * `limitBytes`. A Pod without a node has an empty log, as upstream.
 *
 * @throws {StatusError} 400 without a valid container, 404 without the node, 501 for a Pod on a node, because no kubelet
 *   runs.
 */
export function servePodLog(backend: Backend, target: Target, exchange: Exchange): void {
  if (exchange.method !== 'GET') throw methodNotAllowed();
  const { query } = exchange;
  requireOptions(target.name, query);
  const pod = present(target.type, get(backend, target));
  const container = containerOf(pod, query.get('container') ?? '');
  const log = pod.metadata.annotations?.[`${LOG_ANNOTATION}${container}`];
  const node = scalarText(valueAt(pod, 'spec.nodeName'));
  if (log === undefined && node !== '') {
    // Upstream names the resource of the request.
    if (!backend.store.resource('nodes').get(node)) throw notFound(target.type, node);
    throw notImplemented(
      `no kubelet runs behind node ${node}: put the log into annotation ${LOG_ANNOTATION}${container}`,
    );
  }
  const text = excerpt(log ?? '', query);
  if (text === '') exchange.stream(204).end();
  else exchange.sendText(200, text);
}

/** @throws {StatusError} 400 for an option that is not an integer or time, 422 for one that is too small. */
function requireOptions(pod: string, query: URLSearchParams): void {
  requireIntegers(query, ['sinceSeconds', 'tailLines', 'limitBytes']);
  const sinceTime = query.get('sinceTime');
  const fault = sinceTime === null ? undefined : timeFault(sinceTime);
  if (fault !== undefined) throw badRequest(fault);
  const errors: FieldError[] = [];
  const tail = integerOf(query, 'tailLines') ?? 0;
  if (tail < 0) errors.push(invalidField('tailLines', tail, 'must be greater than or equal to 0'));
  for (const field of ['limitBytes', 'sinceSeconds']) {
    const value = integerOf(query, field) ?? 1;
    if (value < 1) errors.push(invalidField(field, value, 'must be greater than 0'));
  }
  if (errors.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, pod, errors);
}

function excerpt(log: string, query: URLSearchParams): string {
  const limit = integerOf(query, 'limitBytes') ?? Infinity;
  const tail = integerOf(query, 'tailLines');
  const lines = log.split('\n');
  const complete = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  const text = tail === undefined ? log : lines.slice(Math.max(0, complete - tail)).join('\n');
  return Buffer.from(text).subarray(0, Math.max(0, limit)).toString();
}
