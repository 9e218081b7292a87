import { present, scalarText, valueAt } from '../resources/resource-type.ts';
import { methodNotAllowed, notFound, notImplemented } from '../status.ts';
import type { Backend, Target } from '../verbs/target.ts';
import { get } from '../verbs/target.ts';
import { containerOf } from './container.ts';
import type { Exchange } from './exchange.ts';

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
  exchange.sendText(text === '' ? 204 : 200, text);
}

function excerpt(log: string, query: URLSearchParams): string {
  const limit = Number(query.get('limitBytes') ?? Infinity);
  const tail = query.get('tailLines');
  const lines = log.split('\n');
  const complete = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  const text = tail === null ? log : lines.slice(Math.max(0, complete - Number(tail))).join('\n');
  return Buffer.from(text).subarray(0, Math.max(0, limit)).toString();
}
