import type { Logger } from '@mcr/core';
import type { WebhookCluster } from './admission-context.ts';
import { Remarks } from './admission-context.ts';
import type { AdmissionHandler } from './admission-handler.ts';
import type { AdmissionRequest } from './admission-request.ts';
import type { AdmissionResponse } from './admission-response.ts';

export interface ReviewCircumstances {
  readonly cluster: WebhookCluster;
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** Calls the handler of a webhook. @throws whatever the handler throws. */
export async function reviewAdmission(
  handler: Pick<AdmissionHandler, 'handle'>,
  request: AdmissionRequest,
  circumstances: ReviewCircumstances,
): Promise<AdmissionResponse> {
  const remarks = new Remarks();
  const { denial, patch } = await handler.handle(request, {
    ...circumstances,
    request,
    warn: (text) => remarks.warn(text),
    audit: (key, value) => remarks.audit(key, value),
  });
  const { warnings, auditAnnotations } = remarks;
  return { allowed: denial === undefined, denial, patch, warnings, auditAnnotations };
}
