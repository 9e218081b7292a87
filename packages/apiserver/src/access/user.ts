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

/** User of the tokens that a control plane is created with. */
export const ADMIN: User = { name: 'kubernetes-admin', groups: [MASTERS, AUTHENTICATED] };

/** User of requests without credentials. */
export const ANONYMOUS: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** Returns a user of these groups and of the group of all authenticated users. */
export function userOf(name: string, groups: readonly string[]): User {
  return { name, groups: [...new Set([...groups, ...groupsOfName(name), AUTHENTICATED])] };
}

const SERVICE_ACCOUNT = /^system:serviceaccount:(?<namespace>[^:]+):[^:]+$/;

/** Returns the user name of a service account. */
export function serviceAccountUser(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** Returns the namespace of the service account with this user name, or `undefined` if it is not a service account. */
export function serviceAccountNamespace(name: string): string | undefined {
  return SERVICE_ACCOUNT.exec(name)?.groups?.['namespace'];
}

function groupsOfName(name: string): string[] {
  const namespace = serviceAccountNamespace(name);
  return namespace === undefined ? [] : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}
