import { ApiError, isApiError } from '../client/api-error.ts';
import { kindText, parseApiVersion, type Kind } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { shortened } from '../text/shortened.ts';

export interface Access {
  readonly verb: 'list' | 'watch';
  readonly kind: Kind<KubernetesObject>;
  /** Default: all namespaces. */
  readonly namespace?: string | undefined;
}

/** Maximum size of the server's own message, in bytes, so that the missing permission is not cut off. */
const MAX_SERVER_MESSAGE = 512;

/** Answers that stay the same until somebody changes credentials, permissions or the server. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 405]);

/** Whether a server that works has refused the access, and will again. */
export function isAccessRefused(error: unknown): error is ApiError {
  return isApiError(error) && REFUSALS.has(error.status);
}

/** What a list or a watch threw; of a refusal, with what was refused, and the permission that is missing. */
export function explainedRefusal(error: unknown, { verb, kind, namespace }: Access): unknown {
  if (!isAccessRefused(error)) return error;
  const { status, reason, details, retryAfter } = error;
  const where = namespace ? ` in the namespace ${namespace}` : '';
  const missing =
    status === 403 ? `; the account needs the verb ${verb} on ${resourceText(kind, details?.kind)}${where}` : '';
  const message = `${verb} of ${kindText(kind)}${where} is refused (${status}): ${shortened(error.message, MAX_SERVER_MESSAGE)}${missing}`;
  return new ApiError(
    { code: status, reason, message, ...(details && { details }) },
    { cause: error, ...(retryAfter !== undefined && { retryAfter }) },
  );
}

/** As a role names it, for example `deployments.apps`. @param told the resource by the server's own words. */
function resourceText({ apiVersion, kind, plural }: Kind<KubernetesObject>, told: string | undefined): string {
  const { group } = parseApiVersion(apiVersion);
  return [plural ?? told ?? kind, group].filter(Boolean).join('.');
}
