import type { Kind, KubernetesObject } from '@mcr/client';
import { ApiError, isForbidden, parseApiVersion } from '@mcr/client';

/** A permission that a request needs. */
export interface NeededPermission {
  readonly kind: Kind<KubernetesObject>;
  readonly name: string;
  readonly verbs: readonly string[];
  /** The manifest that grants it. */
  readonly manifest: string;
}

/** Returns a 403 with the permission that the account needs and the manifest that grants it. Other errors are returned as is. */
export function withPermissionAdvice(error: Error, { kind, name, verbs, manifest }: NeededPermission): Error {
  if (!isForbidden(error)) return error;
  const resource = [kind.plural ?? kind.kind, parseApiVersion(kind.apiVersion).group].filter(Boolean).join('.');
  const needed = `the account needs the verbs ${verbs.join(', ')} on ${resource} ${name}`;
  const { status: code, reason, details } = error;
  const message = `${error.message}; ${needed}: apply ${manifest} with this name`;
  return new ApiError({ code, reason, message, ...(details && { details }) }, { cause: error });
}
