import type { WriteAdmission } from '../admission/attributes.ts';
import type { JsonObject } from '../storage/stored-object.ts';
import type { DeleteOptions } from '../verbs/delete.ts';
import type { Exchange } from './exchange.ts';

/** Returns the options of a deletion with the webhooks and policies that it is subject to. */
export function admittedDeleteOptions(exchange: Exchange, options: DeleteOptions): DeleteOptions {
  if (!exchange.admission) return options;
  const { dryRun, uid, resourceVersion, gracePeriodSeconds, sentPolicy } = options;
  const preconditions = {
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  const shown = {
    kind: 'DeleteOptions',
    apiVersion: 'meta.k8s.io/v1',
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(Object.keys(preconditions).length > 0 && { preconditions }),
    ...(sentPolicy !== undefined && { propagationPolicy: sentPolicy }),
    ...(dryRun && { dryRun: ['All'] }),
  };
  return { ...options, admission: exchange.admission({ dryRun, options: () => shown }) };
}

/** Returns the webhooks and policies that a write is subject to, if there are any. */
export function writeAdmission(exchange: Exchange, dryRun: boolean): WriteAdmission | undefined {
  if (!exchange.admission) return undefined;
  const { query } = exchange;
  const text = (name: string): JsonObject => (query.get(name) ? { [name]: query.get(name) } : {});
  const options = (operation: string): JsonObject => ({
    kind: operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions',
    apiVersion: 'meta.k8s.io/v1',
    ...(dryRun && { dryRun: query.getAll('dryRun') }),
    ...text('fieldManager'),
    ...text('fieldValidation'),
  });
  return exchange.admission({ dryRun, options });
}
