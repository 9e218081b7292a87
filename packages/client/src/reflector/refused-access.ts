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

/** Maximum size of the server's own message, in bytes, so that the missing permission is not truncated. */
const MAX_SERVER_MESSAGE = 512;

/** Status codes that persist until credentials, permissions or the server change. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 405]);

/** Reports whether a working server has refused the access and will refuse it again. */
export function isAccessRefused(error: unknown): error is ApiError {
  return isApiError(error) && REFUSALS.has(error.status);
}

/**
 * Returns the error of a list or a watch with an explanation. For a refusal, it names the request and the missing
 * permission. For a 404, it states that the kind is not served: the path of a collection exists whenever its kind is
 * served, even without objects.
 */
export function explainedRefusal(error: unknown, { verb, kind, namespace }: Access): unknown {
  if (isApiError(error) && error.status === 404) {
    const message =
      `the cluster does not serve kind ${kind.kind} of ${kind.apiVersion} (${verb} returned 404): ` +
      'check whether its CustomResourceDefinition is installed';
    return explained(error, message);
  }
  if (!isAccessRefused(error)) return error;
  const { status, details } = error;
  const where = namespace ? ` in namespace ${namespace}` : '';
  const missing =
    status === 403 ? `; the account needs the verb ${verb} on ${resourceText(kind, details?.kind)}${where}` : '';
  const message = `${verb} of ${kindText(kind)}${where} is refused (${status}): ${shortened(error.message, MAX_SERVER_MESSAGE)}${missing}`;
  return explained(error, message);
}

/** Returns the error with another message. */
export function explained(error: ApiError, message: string): ApiError {
  const { status: code, reason, details, retryAfter } = error;
  return new ApiError(
    { code, reason, message, ...(details && { details }) },
    { cause: error, ...(retryAfter !== undefined && { retryAfter }) },
  );
}

/** Returns the resource as a role names it, for example `deployments.apps`. @param reported the resource in the server's status. */
function resourceText({ apiVersion, kind, plural }: Kind<KubernetesObject>, reported: string | undefined): string {
  const { group } = parseApiVersion(apiVersion);
  return [plural ?? reported ?? kind, group].filter(Boolean).join('.');
}
