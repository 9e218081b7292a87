import { ApiError } from '../response/api-error.ts';
import type { Kind } from '../kinds/kind.ts';
import { parseApiVersion } from '../kinds/kind.ts';
import type { KubernetesObject, ObjectKey } from '../kinds/object.ts';

/** Returns the API server's error for an object that does not exist. */
export function objectNotFound({ apiVersion, kind, plural }: Kind<KubernetesObject>, { name }: ObjectKey): ApiError {
  const { group } = parseApiVersion(apiVersion);
  const resource = plural ?? `${kind.toLowerCase()}s`;
  return new ApiError({
    kind: 'Status',
    status: 'Failure',
    code: 404,
    reason: 'NotFound',
    message: `${group ? `${resource}.${group}` : resource} ${JSON.stringify(name)} not found`,
    details: { name, kind: resource, ...(group && { group }) },
  });
}
