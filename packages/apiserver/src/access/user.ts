import * as z from 'zod';

/** User of a request. */
export const userSchema = z.strictObject({
  name: z.string(),
  uid: z.string().optional(),
  groups: z.array(z.string()),
  extra: z.record(z.string(), z.array(z.string())).optional(),
});
export type User = z.infer<typeof userSchema>;

/** Members of this group have all permissions. */
export const MASTERS = 'system:masters';
export const AUTHENTICATED = 'system:authenticated';
export const UNAUTHENTICATED = 'system:unauthenticated';

/** User of the tokens that a control plane is created with. */
export const ADMIN: User = { name: 'kubernetes-admin', groups: [MASTERS, AUTHENTICATED] };

/** User of requests without credentials. */
export const ANONYMOUS: User = { name: 'system:anonymous', groups: [UNAUTHENTICATED] };

/** Returns a user of these groups and of the group of all authenticated users. */
export function userOf(name: string, groups: readonly string[]): User {
  return { name, groups: [...new Set([...groups, ...serviceAccountGroups(name), AUTHENTICATED])] };
}

const SERVICE_ACCOUNT =
  /^system:serviceaccount:(?<namespace>[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?):[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** Returns the user name of a service account. */
export function serviceAccountUser(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** Returns the namespace of the service account with this user name, or `undefined` if it is not a service account. */
export function serviceAccountNamespace(name: string): string | undefined {
  return SERVICE_ACCOUNT.exec(name)?.groups?.['namespace'];
}

/** Returns the groups of the service account with this user name; none for another user. */
export function serviceAccountGroups(name: string): string[] {
  const namespace = serviceAccountNamespace(name);
  return namespace === undefined ? [] : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}
