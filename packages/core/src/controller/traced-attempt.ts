import type { Tracer } from '@mcr/client';
import { failSpan } from '@mcr/client';
import type { Attempt, Conclusion } from './attempt.ts';
import { judge } from './verdict.ts';
import type { ReconcileRequest } from './reconcile/request.ts';

/**
 * Runs an attempt within a span, which is the parent of the spans of the reconciler's client calls.
 *
 * @param options.controller the controller's name.
 * @param options.number number of the attempt, starting at 1.
 * @param options.isIsolated whether the lane of the request's cluster is restricted. Called when the attempt has ended.
 */
export function tracedAttempt<R>(
  tracer: Tracer,
  attempt: Attempt<R>,
  {
    controller,
    number,
    isIsolated,
  }: { readonly controller: string; readonly number: number; readonly isIsolated: () => boolean },
): Promise<Conclusion> {
  const { request, key, clusterName } = attempt.item;
  // Custom request types may not have these fields.
  const { namespace, name } = request as Partial<ReconcileRequest>;
  const attributes = {
    'mcr.controller': controller,
    'mcr.request': key,
    'mcr.attempt': number,
    'k8s.cluster.name': clusterName,
    ...(typeof namespace === 'string' && { 'k8s.namespace.name': namespace }),
    ...(typeof name === 'string' && { 'k8s.object.name': name }),
  };
  return tracer.startActiveSpan(`reconcile ${controller}`, { attributes }, async (span) => {
    const conclusion = await attempt.run();
    const { isSharded } = attempt;
    const { outcome = 'aborted', error } = judge(conclusion, { clusterName, isIsolated: isIsolated(), isSharded });
    span.setAttribute('mcr.result', outcome);
    if (error !== undefined) failSpan(span, error);
    span.end();
    return conclusion;
  });
}
