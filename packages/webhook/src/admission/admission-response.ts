import { formatJson } from '@mcr/core/provider';
import type { AdmissionRequest } from './admission-request.ts';
import type { Denial } from './denial.ts';
import type { PatchOperation } from './json-patch.ts';
import { ADMISSION_API_VERSION, ADMISSION_KIND } from './read-admission-review.ts';

/** The decision of a webhook about one request. */
export interface AdmissionResponse {
  /** Whether the webhook allows the request. */
  readonly allowed: boolean;
  /** Why it is denied. */
  readonly denial?: Denial | undefined;
  /** Changes of the object. */
  readonly patch: readonly PatchOperation[];
  /** Texts that the client of the user shows. */
  readonly warnings: readonly string[];
  /** Recorded in the audit log of the API server, each with the name of the webhook before its key. */
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/** Returns the AdmissionReview that the API server expects. */
export function admissionReview(request: AdmissionRequest, response: AdmissionResponse): object {
  const { allowed, denial, patch, warnings, auditAnnotations } = response;
  return {
    apiVersion: ADMISSION_API_VERSION,
    kind: ADMISSION_KIND,
    response: {
      uid: request.uid,
      allowed,
      ...(denial && { status: statusOf(request, denial) }),
      ...(patch.length > 0 && {
        patchType: 'JSONPatch',
        patch: Buffer.from(formatJson(patch)).toString('base64'),
      }),
      ...(warnings.length > 0 && { warnings }),
      ...(Object.keys(auditAnnotations).length > 0 && { auditAnnotations }),
    },
  };
}

function statusOf({ kind, name }: AdmissionRequest, { message, causes, code, reason }: Denial): object {
  const details = { group: kind.group, kind: kind.kind, ...(name !== undefined && { name }), causes };
  return {
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    code,
    ...(causes.length > 0 && { details }),
  };
}
