import * as z from 'zod';
import type { AccountClaims } from '../access/service-account-token.ts';
import { BINDABLE } from '../access/service-account-token.ts';
import { scalarText, valueAt } from '../resources/resource-type.ts';
import { badRequest, conflict, notFound } from '../status.ts';
import { objectKey, parseStored } from '../storage/stored-object.ts';
import type { Backend } from '../verbs/target.ts';

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

/** Schema of `spec.boundObjectRef` of a TokenRequest. */
export const boundObjectReference = z.looseObject({ kind: text, apiVersion: text, name: text, uid: text });

/** Contents of a token that is bound to an object. */
export interface Binding {
  readonly kind: keyof typeof BINDABLE;
  readonly claims: Pick<AccountClaims, 'pod' | 'secret' | 'node'>;
}

const isBindable = (kind: string): kind is keyof typeof BINDABLE => Object.hasOwn(BINDABLE, kind);

/**
 * Finds the object that a token is to be bound to. (Upstream: `TokenREST.Create`.)
 *
 * @param account name of the service account.
 * @throws {StatusError} 400 for a kind that cannot be bound to or a Pod of another service account, 404, 409 for another
 *   uid.
 */
export function bindToken(
  { store, registry }: Backend,
  { kind, apiVersion, name, uid }: z.infer<typeof boundObjectReference>,
  { namespace, account }: { readonly namespace: string; readonly account: string },
): Binding {
  const slash = apiVersion.indexOf('/');
  const [group, version] = [apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1)];
  const type = group === '' && isBindable(kind) ? registry.storedType(BINDABLE[kind]) : undefined;
  if (!type || !isBindable(kind)) {
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  }
  if (name === '') throw badRequest('Name parameter required.');
  const found = store.resource(type.storage).get(objectKey(kind === 'Node' ? '' : namespace, name));
  if (!found) throw notFound(type, name);
  const spec = kind === 'Pod' ? parseStored(found)['spec'] : undefined;
  if (kind === 'Pod' && scalarText(valueAt(spec, 'serviceAccountName')) !== account) {
    const name = JSON.stringify(account);
    throw badRequest(`cannot bind token for serviceaccount ${name} to pod running with different serviceaccount name.`);
  }
  if (uid !== '' && uid !== found.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: '', plural: kind }, name, why);
  }
  const node = scalarText(valueAt(spec, 'nodeName'));
  const nodeUid = store.resource(BINDABLE.Node).get(node)?.uid ?? '';
  return {
    kind,
    claims: {
      ...(node !== '' && { node: { name: node, ...(nodeUid !== '' && { uid: nodeUid }) } }),
      [kind.toLowerCase()]: { name, uid: found.uid },
    },
  };
}
