import type { CallContext } from './admission-context.ts';
import { Remarks } from './admission-context.ts';
import type { AdmissionHandler } from './admission-handler.ts';
import type { AdmissionRequest } from './admission-request.ts';
import type { AdmissionResponse } from './admission-response.ts';
import { deny } from './denial.ts';
import { isNestedDeeper } from './nesting.ts';

/**
 * Levels of an object. API servers accept 10,000, and recursive functions of JavaScript, such as `structuredClone` and
 * `JSON.stringify`, overflow the stack before. An error would let the object pass with the failure policy `Ignore`.
 */
const MAX_LEVELS = 1_000;

/** Calls the handler of a webhook. Denies objects that have too many levels. @throws whatever the handler throws. */
export async function reviewAdmission(
  handler: Pick<AdmissionHandler, 'handle'>,
  request: AdmissionRequest,
  context: CallContext,
): Promise<AdmissionResponse> {
  if (isNestedDeeper(request.object, MAX_LEVELS)) {
    const denial = deny(`the object has more than ${MAX_LEVELS} levels`, { code: 422, reason: 'Invalid' });
    return { allowed: false, denial, patch: [], warnings: [], auditAnnotations: {} };
  }
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
