import { z } from 'zod';

/** Who makes a request. */
export const userSchema = z.strictObject({
  name: z.string(),
  uid: z.string().optional(),
  groups: z.array(z.string()),
  extra: z.record(z.string(), z.array(z.string())).optional(),
});
export type User = z.infer<typeof userSchema>;

/** Whoever is of this group may do everything. */
export const MASTERS = 'system:masters';
export const AUTHENTICATED = 'system:authenticated';

/** The user of the tokens that come with a control plane. */
export const ADMIN: User = { name: 'kubernetes-admin', groups: [MASTERS, AUTHENTICATED] };

/** A user of these groups, and of the one that every user is of. */
export function userOf(name: string, groups: readonly string[]): User {
  return { name, groups: [...new Set([...groups, ...groupsOfName(name), AUTHENTICATED])] };
}

const SERVICE_ACCOUNT = /^system:serviceaccount:(?<namespace>[^:]+):[^:]+$/;

/** The name by which a service account is a user. */
export function serviceAccountUser(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** The namespace of the service account that a user's name means, or `undefined`. */
export function serviceAccountNamespace(name: string): string | undefined {
  return SERVICE_ACCOUNT.exec(name)?.groups?.['namespace'];
}

function groupsOfName(name: string): string[] {
  const namespace = serviceAccountNamespace(name);
  return namespace === undefined ? [] : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}
