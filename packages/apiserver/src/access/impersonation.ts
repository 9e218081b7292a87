import { badRequest } from '../status.ts';
import type { Authorizer } from './authorizer.ts';
import type { ResourceRequest } from './request-info.ts';
import type { User } from './user.ts';
import { ANONYMOUS, AUTHENTICATED, serviceAccountGroups, serviceAccountNamespace, UNAUTHENTICATED } from './user.ts';

const EXTRA = 'impersonate-extra-';

/** Yields what a request impersonates, as Go prints an object reference. */
function* references(
  groups: readonly string[],
  uid: string | undefined,
  extras: readonly (readonly [string, string])[],
): Iterable<string> {
  for (const group of groups) yield `{Group  ${group}    }`;
  for (const [header, value] of extras)
    yield `{UserExtra  ${value}  authentication.k8s.io/v1  ${header.slice(EXTRA.length)}}`;
  if (uid) yield `{UID  ${uid}  authentication.k8s.io/v1  }`;
}

/**
 * Returns the user that the `Impersonate-*` headers name, if `user` may impersonate it. Returns `user` if there are
 * none.
 *
 * @param headers the `Impersonate-*` headers, with names in lower case.
 * @throws {StatusError} 400 for headers without a user, 403
 */
export function impersonate(
  user: User,
  headers: readonly (readonly [name: string, value: string])[],
  authorizer: Authorizer,
): User {
  if (headers.length === 0) return user;
  const valuesOf = (name: string): string[] => headers.flatMap(([key, value]) => (key === name ? [value] : []));
  const [name] = valuesOf('impersonate-user');
  const [uid] = valuesOf('impersonate-uid');
  const groups = valuesOf('impersonate-group');
  const extras = headers.filter(([key]) => key.startsWith(EXTRA));
  if (!name && groups.length === 0 && !uid && extras.length === 0) return user;
  if (!name)
    throw badRequest(`requested [${[...references(groups, uid, extras)].join(' ')}] without impersonating a user`);

  const check = (resource: string, wanted: Partial<ResourceRequest>): void =>
    authorizer.authorize(user, {
      verb: 'impersonate',
      group: '',
      resource,
      subresource: '',
      namespace: '',
      name: '',
      ...wanted,
    });
  const namespace = serviceAccountNamespace(name);
  if (namespace === undefined) check('users', { name });
  else check('serviceaccounts', { name: name.slice(name.lastIndexOf(':') + 1), namespace });
  for (const group of groups) check('groups', { name: group });
  if (uid) check('uids', { group: 'authentication.k8s.io', name: uid });
  const extra = Object.create(null) as Record<string, string[]>;
  for (const [header, value] of extras) {
    const key = unescaped(header.slice(EXTRA.length));
    check('userextras', { group: 'authentication.k8s.io', subresource: key, name: value });
    (extra[key] ??= []).push(value);
  }
  return { name, groups: groupsOf(name, groups), ...(uid && { uid }), ...(extras.length > 0 && { extra }) };
}

/** Returns the groups of an impersonated user. Those that a request names replace the groups of a service account. */
function groupsOf(name: string, named: readonly string[]): string[] {
  const groups = named.length > 0 ? [...named] : serviceAccountGroups(name);
  const isNamed = (group: string): boolean => groups.includes(group);
  if (name === ANONYMOUS.name) return isNamed(UNAUTHENTICATED) ? groups : [...groups, UNAUTHENTICATED];
  return isNamed(AUTHENTICATED) || isNamed(UNAUTHENTICATED) ? groups : [...groups, AUTHENTICATED];
}

/** Like Go's `url.PathUnescape`, whose failure leaves the text unchanged. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
