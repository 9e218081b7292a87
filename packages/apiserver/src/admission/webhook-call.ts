import { randomUUID } from 'node:crypto';
import type { StatusError } from '../status.ts';
import { badRequest } from '../status.ts';
import type { WebhookClient } from '../webhooks/webhook-client.ts';
import { WebhookCallError } from '../webhooks/webhook-client.ts';
import type { Hook } from './hook.ts';
import type { AdmissionResponse, ReviewContext } from './review.ts';
import { admissionRequest, readAdmissionResponse } from './review.ts';
import type { VersionedAttributes } from './versioned.ts';

/** Circumstances in which webhooks are called for a request. */
export interface CallContext extends ReviewContext {
  readonly client: WebhookClient;
  readonly warn: (text: string) => void;
  /** End of the request, in milliseconds of the monotonic clock. */
  readonly deadline: number;
}

/** Calls a webhook. @throws {WebhookCallError} */
export async function callWebhook(
  { client, warn, deadline, ...context }: CallContext,
  hook: Hook,
  versioned: VersionedAttributes,
  { mutating }: { readonly mutating: boolean },
): Promise<AdmissionResponse> {
  const { admissionReviewVersions, clientConfig, timeoutSeconds } = hook;
  const version = admissionReviewVersions.find((known) => known === 'v1' || known === 'v1beta1');
  if (version === undefined) {
    const why = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)';
    throw new WebhookCallError(`could not create admission objects: ${why}`);
  }
  const uid = randomUUID();
  const request = admissionRequest(uid, versioned, context);
  const body = { kind: 'AdmissionReview', apiVersion: `admission.k8s.io/${version}`, request };
  const timeout = Math.max(1, Math.min(timeoutSeconds * 1000, deadline - performance.now()));
  const announcedTimeout = Math.ceil(timeout / 1000);
  const call = { config: clientConfig, body, timeout, announcedTimeout, kind: 'AdmissionReview' };
  const review = await client.call(call).catch((error: unknown) => {
    throw error instanceof WebhookCallError ? new WebhookCallError(`failed to call webhook: ${error.message}`) : error;
  });
  const response = readAdmissionResponse(review, { uid, version, mutating });
  for (const text of response.warnings) warn(text);
  return response;
}

/** Returns the error of a dry run that a webhook does not support. */
export function dryRunError({ name, sideEffects = '' }: Hook, { dryRun }: ReviewContext): StatusError | undefined {
  if (!dryRun || sideEffects === 'None' || sideEffects === 'NoneOnDryRun') return undefined;
  return badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
}
