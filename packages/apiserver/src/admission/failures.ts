import { internalError, StatusError } from '../status.ts';
import type { WebhookCallError } from '../webhooks/webhook-client.ts';
import type { Hook } from './hook.ts';
import type { CallContext } from './webhook-call.ts';

/**
 * Decides about a call that failed.
 *
 * @throws {StatusError} 500 unless the webhook may fail, or 504 if the time of the request is over.
 */
export function callFailure(
  { name, failurePolicy }: Hook,
  { message }: WebhookCallError,
  { deadline }: CallContext,
): void {
  if (failurePolicy !== 'Ignore')
    throw internalError(new Error(`failed calling webhook ${JSON.stringify(name)}: ${message}`));
  if (performance.now() >= deadline) {
    throw new StatusError(504, 'Timeout', 'request did not complete within requested timeout', {});
  }
}
