import type { CallContext } from './admission-context.ts';
import { Remarks } from './admission-context.ts';
import type { AdmissionHandler } from './admission-handler.ts';
import type { AdmissionRequest } from './admission-request.ts';
import type { AdmissionResponse } from './admission-response.ts';

/** Calls the handler of a webhook. @throws whatever the handler throws. */
export async function reviewAdmission(
  handler: Pick<AdmissionHandler, 'handle'>,
  request: AdmissionRequest,
  context: CallContext,
): Promise<AdmissionResponse> {
  const remarks = new Remarks();
  const { denial, patch } = await handler.handle(request, {
    ...context,
    request,
    warn: (text) => remarks.warn(text),
    audit: (key, value) => remarks.audit(key, value),
  });
  const { warnings, auditAnnotations } = remarks;
  return { allowed: denial === undefined, denial, patch, warnings, auditAnnotations };
}
