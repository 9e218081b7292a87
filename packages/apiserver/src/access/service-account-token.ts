import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { ClusterStore } from '../storage/cluster-store.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { objectKey, parseStored } from '../storage/stored-object.ts';
import type { SigningKey } from './signing-key.ts';
import type { User } from './user.ts';
import { serviceAccountUser, userOf } from './user.ts';

const reference = z.looseObject({ name: z.string(), uid: z.string().default('') });

/** Claims about the service account, and the object that the token is bound to. */
const accountClaims = z.looseObject({
  namespace: z.string(),
  serviceaccount: reference,
  pod: reference.optional(),
  secret: reference.optional(),
  /** The node of the Pod, or the object that the token is bound to. */
  node: reference.optional(),
});
export type AccountClaims = z.input<typeof accountClaims>;

/** Times are in seconds since 1970. */
const tokenClaims = z.looseObject({
  aud: z.union([z.string().transform((audience) => [audience]), z.array(z.string())]).default([]),
  exp: z.number().optional(),
  nbf: z.number().optional(),
  iat: z.number().optional(),
  jti: z.string().optional(),
  'kubernetes.io': accountClaims,
});
export type TokenClaims = z.infer<typeof tokenClaims>;

type BoundKind = 'Pod' | 'Secret' | 'Node';

/** Resources of the objects that a token can be bound to. */
export const BINDABLE: Readonly<Record<BoundKind, string>> = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' };

/**
 * Time for which a token stays valid after its expiry, and after the deletion of its object began, in seconds. (Upstream:
 * `DefaultLeeway` of go-jose.)
 */
const LEEWAY = 60;

/** Prefix of the attributes of the user of a token. */
const EXTRA = 'authentication.kubernetes.io';

const INVALIDATED = 'service account token has been invalidated';

export interface TokenOptions {
  readonly audiences: readonly string[];
  /** In milliseconds since 1970. */
  readonly expires: number;
  readonly claims: AccountClaims;
}

/** Returns a token of a service account, as a JWT, from which clients can read the expiry. */
export function signedToken(key: SigningKey, { audiences, expires, claims }: TokenOptions): string {
  const now = Math.floor(Date.now() / 1000);
  const { namespace, serviceaccount } = claims;
  return key.sign({
    aud: audiences,
    exp: Math.floor(expires / 1000),
    iat: now,
    jti: randomUUID(),
    'kubernetes.io': claims,
    nbf: now,
    sub: serviceAccountUser(namespace, serviceaccount.name),
  });
}

/** Reads the verified claims of a token. Returns why they are not those of a service account, if they are not. */
export function readClaims(claims: unknown): TokenClaims | string {
  const { success, data } = tokenClaims.safeParse(claims);
  return success ? data : 'service account token claims could not be validated';
}

/** Returns the user of a token of a service account. */
export function tokenUser({ jti, 'kubernetes.io': claims }: TokenClaims): User {
  const { namespace, serviceaccount, pod, node } = claims;
  const extra = {
    ...(jti !== undefined && { [`${EXTRA}/credential-id`]: [`JTI=${jti}`] }),
    ...(node && { [`${EXTRA}/node-name`]: [node.name] }),
    ...(node && node.uid !== '' && { [`${EXTRA}/node-uid`]: [node.uid] }),
    ...(pod && { [`${EXTRA}/pod-name`]: [pod.name], [`${EXTRA}/pod-uid`]: [pod.uid] }),
  };
  const hasExtra = Object.keys(extra).length > 0;
  const user = userOf(serviceAccountUser(namespace, serviceaccount.name), []);
  return { ...user, uid: serviceaccount.uid, ...(hasExtra && { extra }) };
}

/**
 * Returns why a token of a service account is invalid, as a real server reports it, or `undefined` if it is valid.
 * (Upstream: `Validate` of `pkg/serviceaccount`.)
 *
 * @param now in milliseconds since 1970.
 */
export function serviceAccountFault(
  store: ClusterStore,
  { exp = Infinity, nbf = 0, iat = 0, 'kubernetes.io': claims }: TokenClaims,
  now = Date.now(),
): string | undefined {
  const seconds = now / 1000;
  if (seconds + LEEWAY < nbf) return 'service account token is not valid yet';
  if (seconds - LEEWAY > exp) return 'service account token has expired';
  if (seconds + LEEWAY < iat) return 'service account token is issued in the future';
  const { namespace, serviceaccount, pod, secret, node } = claims;
  const { name, uid } = serviceaccount;
  const account = store.resource('serviceaccounts').get(objectKey(namespace, name));
  if (!account) return `serviceaccounts ${JSON.stringify(name)} not found`;
  if (account.uid !== uid) return `service account UID (${account.uid}) does not match claim (${uid})`;
  if (isDeleted(account, now)) return `service account ${namespace}/${name} has been deleted`;
  const bound = [
    ['Secret', secret],
    ['Pod', pod],
    // A token that is bound to a Pod only names its node.
    ['Node', pod ? undefined : node],
  ] as const;
  for (const [kind, one] of bound) {
    const fault = one && boundFault(store, kind, { ...one, namespace }, now);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function boundFault(
  store: ClusterStore,
  kind: BoundKind,
  { name, namespace, uid }: { readonly name: string; readonly namespace: string; readonly uid: string },
  now: number,
): string | undefined {
  const object = store.resource(BINDABLE[kind]).get(objectKey(kind === 'Node' ? '' : namespace, name));
  if (!object) return INVALIDATED;
  if (object.uid !== uid) {
    const claim = kind.toLowerCase();
    return `${claim} UID (${object.uid}) does not match service account ${claim} ref claim (${uid})`;
  }
  return isDeleted(object, now) ? INVALIDATED : undefined;
}

function isDeleted(object: StoredObject, now: number): boolean {
  if (!object.terminating) return false;
  const { deletionTimestamp } = parseStored(object).metadata;
  return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < now - LEEWAY * 1000;
}
