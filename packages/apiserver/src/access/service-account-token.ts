import * as z from 'zod';
import type { ClusterStore } from '../storage/cluster-store.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { parseStored } from '../storage/stored-object.ts';
import type { Token } from './tokens.ts';

/** An object that a token of a service account is valid for. */
export const boundObjectSchema = z.strictObject({
  kind: z.enum(['Pod', 'Secret', 'Node']),
  /** Key in the store of its resource. */
  key: z.string(),
  uid: z.string(),
});
export type BoundObject = z.infer<typeof boundObjectSchema>;

/** Resources of the objects that a token can be bound to. */
export const BINDABLE: Readonly<Record<BoundObject['kind'], string>> = {
  Pod: 'pods',
  Secret: 'secrets',
  Node: 'nodes',
};

/** Time for which a token stays valid after the deletion of its object began, in milliseconds. */
const LEEWAY = 60_000;

const INVALIDATED = 'service account token has been invalidated';

/**
 * Returns why a token of a service account is invalid, as a real server reports it, or `undefined` if it is valid.
 * (Upstream: `Validate` of `pkg/serviceaccount`.)
 *
 * @param now in milliseconds since 1970.
 */
export function serviceAccountFault(
  store: ClusterStore,
  { user, expires, bound }: Token,
  now = Date.now(),
): string | undefined {
  if (now >= (expires ?? Infinity)) return 'service account token has expired';
  const [, , namespace = '', name = ''] = user.name.split(':');
  const account = store.resource('serviceaccounts').get(`${namespace}/${name}`);
  if (!account) return `serviceaccounts ${JSON.stringify(name)} not found`;
  if (account.uid !== user.uid)
    return `service account UID (${account.uid}) does not match claim (${String(user.uid)})`;
  if (isDeleted(account, now)) return `service account ${namespace}/${name} has been deleted`;
  if (!bound) return undefined;
  const object = store.resource(BINDABLE[bound.kind]).get(bound.key);
  if (!object) return INVALIDATED;
  if (object.uid !== bound.uid) {
    const kind = bound.kind.toLowerCase();
    const shown = bound.kind === 'Node' ? 'Node' : kind;
    return `${shown} UID (${object.uid}) does not match service account ${kind} ref claim (${bound.uid})`;
  }
  return isDeleted(object, now) ? INVALIDATED : undefined;
}

function isDeleted(object: StoredObject, now: number): boolean {
  if (!object.terminating) return false;
  const { deletionTimestamp } = parseStored(object).metadata;
  return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < now - LEEWAY;
}
