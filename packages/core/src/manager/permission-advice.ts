import { ApiError, isForbidden, parseApiVersion } from '@mcr/client';
import type { SourcePermission } from '../permissions/permission.ts';

/**
 * Returns a 403 with the permission that the account needs and the manifest that grants it. Other errors are returned as is.
 *
 * @param options.permission the permission that the request needs, with the names of its objects.
 * @param options.manifest the manifest that grants it, for example `manifests/rbac-crds.yaml of @mcr/core`.
 */
export function withPermissionAdvice(
  error: Error,
  { permission, manifest }: { readonly permission: SourcePermission; readonly manifest: string },
): Error {
  if (!isForbidden(error)) return error;
  const { kind, verbs, names = [] } = permission;
  const resource = [kind.plural ?? kind.kind, parseApiVersion(kind.apiVersion).group].filter(Boolean).join('.');
  const needed = `the account needs the verbs ${verbs.join(', ')} on ${[resource, ...names].join(' ')}`;
  const { status: code, reason, details } = error;
  const message = `${error.message}; ${needed}: apply ${manifest} with this name`;
  return new ApiError({ code, reason, message, ...(details && { details }) }, { cause: error });
}
