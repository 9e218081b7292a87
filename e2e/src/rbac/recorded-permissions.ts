import type { PermissionRecorder, RecordedAccess } from '@mcr/core/testing';
import type { Permission } from './manifest.ts';

/** Returns the recorded permissions that were granted, for example `hub: list secrets`. */
export function grantedTo({ accesses }: PermissionRecorder): ReadonlySet<Permission> {
  return new Set(accesses.flatMap((access) => (access.granted > 0 ? [textOf(access)] : [])));
}

export function forbiddenTo({ accesses }: PermissionRecorder): ReadonlySet<Permission> {
  return new Set(accesses.flatMap((access) => (access.forbidden > 0 ? [textOf(access)] : [])));
}

/** Returns the number of granted requests that needed this permission. */
export function timesGranted({ accesses }: PermissionRecorder, permission: Permission): number {
  return accesses.reduce((sum, access) => sum + (textOf(access) === permission ? access.granted : 0), 0);
}

function textOf({ in: origin, verb, resource }: RecordedAccess): Permission {
  return `${origin === 'local' ? 'hub' : 'member'}: ${verb} ${resource}`;
}
