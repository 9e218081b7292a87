import { ApiError, isApiError } from '../response/api-error.ts';
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

/**
 * Returns what a list or a watch threw. A refusal says what was refused, and which permission is missing. A 404 says
 * that the kind is not served: the path of a collection exists as soon as its kind is served, even without objects.
 */
export function explainedRefusal(error: unknown, { verb, kind, namespace }: Access): unknown {
  if (isApiError(error) && error.status === 404) {
    const message =
      `the cluster serves no kind ${kind.kind} of ${kind.apiVersion} (${verb} was answered 404): ` +
      'perhaps its CustomResourceDefinition was removed';
    return explained(error, message);
  }
  if (!isAccessRefused(error)) return error;
  const { status, details } = error;
  const where = namespace ? ` in the namespace ${namespace}` : '';
  const missing =
    status === 403 ? `; the account needs the verb ${verb} on ${resourceText(kind, details?.kind)}${where}` : '';
  const message = `${verb} of ${kindText(kind)}${where} is refused (${status}): ${shortened(error.message, MAX_SERVER_MESSAGE)}${missing}`;
  return explained(error, message);
}

/** Returns the same error with another message. */
export function explained(error: ApiError, message: string): ApiError {
  const { status: code, reason, details, retryAfter } = error;
  return new ApiError(
    { code, reason, message, ...(details && { details }) },
    { cause: error, ...(retryAfter !== undefined && { retryAfter }) },
  );
}

/** As a role names it, for example `deployments.apps`. @param told the resource by the server's own words. */
function resourceText({ apiVersion, kind, plural }: Kind<KubernetesObject>, told: string | undefined): string {
  const { group } = parseApiVersion(apiVersion);
  return [plural ?? told ?? kind, group].filter(Boolean).join('.');
}
