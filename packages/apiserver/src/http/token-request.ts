import * as z from 'zod';
import type { Access } from '../access/access.ts';
import { signedToken } from '../access/service-account-token.ts';
import type { ManagedFieldsEntry } from '../apply/managed-fields.ts';
import { singleVersion } from '../apply/field-types.ts';
import { trackUpdate } from '../apply/ownership.ts';
import { builtInSchema } from '../schema/built-in-schema.ts';
import type { ApiObject, StoredObject } from '../storage/stored-object.ts';
import { now, timestamp } from '../resources/timestamp.ts';
import { partFormat } from '../representation/encoded-response.ts';
import type { FieldError, StatusError } from '../status.ts';
import { badRequest, conflict, invalid, invalidField, methodNotAllowed } from '../status.ts';
import { complete, Turn } from '../turn.ts';
import { admitAction } from '../verbs/admitted.ts';
import { requireLivingNamespace } from '../verbs/living-namespace.ts';
import { run } from '../verbs/steps.ts';
import type { Backend } from '../verbs/target.ts';
import { get } from '../verbs/target.ts';
import { bindToken, boundObjectReference } from './bound-object.ts';
import type { Exchange } from './exchange.ts';
import { readImplied } from './implied-kind.ts';
import type { ObjectRoute } from './route.ts';
import { parseWriteOptions } from './write-options.ts';

/** A cluster that issues tokens. */
export interface TokenBackend extends Backend {
  readonly access: Access;
}

/** In seconds, as upstream. */
const DEFAULT_LIFETIME = 3600;
const SHORTEST_LIFETIME = 600;
const LONGEST_LIFETIME = 2 ** 32;

/** Lifetime that kubelet requests for the token of a Pod. It only warns: the token is valid for a year. */
const WARNING_LIFETIME = 3607;
const EXTENDED_LIFETIME = 365 * 24 * 60 * 60;

const GROUP = 'authentication.k8s.io';
const TOKEN_REQUEST = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' };

const tokenRequest = z.looseObject({
  kind: z.literal('TokenRequest'),
  apiVersion: z.literal('authentication.k8s.io/v1'),
  spec: z
    .looseObject({
      audiences: z.array(z.string()).nullish(),
      expirationSeconds: z.int().nullish(),
      boundObjectRef: boundObjectReference.nullish(),
    })
    .default({}),
  metadata: z
    .looseObject({ name: z.string().nullish(), namespace: z.string().nullish(), uid: z.string().nullish() })
    .nullish(),
});

/** Serves a request for a token of a service account (API `TokenRequest`). @throws {StatusError} */
export async function serveTokenRequest(backend: TokenBackend, target: ObjectRoute, exchange: Exchange): Promise<void> {
  if (exchange.method !== 'POST') throw methodNotAllowed();
  partFormat(exchange.header('accept'), target.type);
  const { dryRun, admission, manager } = parseWriteOptions(exchange, 'CreateOptions');
  const { signingKey: key } = backend.access;
  const { spec, metadata } = decode(await readImplied(exchange, TOKEN_REQUEST));
  const { namespace, name, uid } = accountOf(backend, target, metadata ?? {});
  const asked = {
    ...TOKEN_REQUEST,
    metadata: { name, namespace, uid, creationTimestamp: now() },
    spec: {
      ...spec,
      audiences: spec.audiences?.length ? spec.audiences : [key.issuer],
      expirationSeconds: spec.expirationSeconds ?? DEFAULT_LIFETIME,
      boundObjectRef: spec.boundObjectRef ?? null,
    },
    status: { token: '', expirationTimestamp: null },
  };
  const attributes = { ...target, ...TOKEN_REQUEST, subresource: 'token' };
  const admitted = decode(await run(admitAction(backend, admission, attributes, asked))).spec;
  const expirationSeconds = admitted.expirationSeconds ?? DEFAULT_LIFETIME;
  requireLifetime(expirationSeconds);
  const audiences = admitted.audiences?.length ? admitted.audiences : [key.issuer];
  const reference = admitted.boundObjectRef;
  const binding = reference && bindToken(backend, reference, { namespace, account: name });
  const isExtended =
    binding?.kind === 'Pod' &&
    expirationSeconds === WARNING_LIFETIME &&
    audiences.every((audience) => audience === key.issuer);
  const seconds = isExtended ? EXTENDED_LIFETIME : expirationSeconds;
  const start = Date.now();
  const claims = {
    namespace,
    ...binding?.claims,
    serviceaccount: { name, uid },
    ...(isExtended && { warnafter: Math.floor(start / 1000) + expirationSeconds }),
  };
  const token = dryRun ? '' : signedToken(key, { expires: start + seconds * 1000, audiences, claims });
  exchange.send(201, {
    ...TOKEN_REQUEST,
    metadata: { name, namespace, uid, creationTimestamp: now(), managedFields: managersOf(manager, spec) },
    spec: { ...admitted, audiences, expirationSeconds, boundObjectRef: compact(reference) },
    status: { token, expirationTimestamp: timestamp(start + expirationSeconds * 1000) },
  });
}

/** @throws {StatusError} 404, or an error if the metadata of the request names another service account. */
function accountOf(
  backend: Backend,
  target: ObjectRoute,
  sent: NonNullable<z.infer<typeof tokenRequest>['metadata']>,
): StoredObject {
  if (sent.namespace && sent.namespace !== target.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  if (sent.name && sent.name !== target.name) {
    const detail = 'must match the service account name if specified';
    throw refused(target.name, [invalidField('metadata.name', sent.name, detail)]);
  }
  requireLivingNamespace(backend, target.type, target.namespace, target.name);
  const account = get(backend, target);
  if (sent.uid && sent.uid !== account.uid) {
    const why = `the UID in the token request (${sent.uid}) does not match the UID of the service account (${account.uid})`;
    throw conflict({ group: GROUP, plural: TOKEN_REQUEST.kind }, target.name, why);
  }
  return account;
}

/** @throws {StatusError} 422 */
function requireLifetime(seconds: number): void {
  const limit = seconds < SHORTEST_LIFETIME ? 'less than 10 minutes' : 'larger than 2^32 seconds';
  if (seconds >= SHORTEST_LIFETIME && seconds <= LONGEST_LIFETIME) return;
  throw refused('', [invalidField('spec.expirationSeconds', seconds, `may not specify a duration ${limit}`)]);
}

function refused(name: string, errors: readonly FieldError[]): StatusError {
  return invalid({ group: GROUP, kind: TOKEN_REQUEST.kind }, name, errors);
}

/** Returns a reference as Go writes it, without empty texts. */
function compact(reference: object | null | undefined): object | null {
  return reference ? Object.fromEntries(Object.entries(reference).filter(([, value]) => value !== '')) : null;
}

const TYPES = singleVersion(TOKEN_REQUEST.apiVersion, builtInSchema('TokenRequest'), { spec: {}, metadata: {} });

/** Returns the manager that owns the fields of a request. */
function managersOf(name: string, sent: object): ManagedFieldsEntry[] {
  const { apiVersion } = TOKEN_REQUEST;
  const spec = { expirationSeconds: DEFAULT_LIFETIME, ...sent };
  const object = { ...TOKEN_REQUEST, metadata: {}, spec } as unknown as ApiObject;
  const writer = { name, operation: 'Update', apiVersion, subresource: 'token' } as const;
  return complete(trackUpdate(TYPES, writer, { live: undefined, object }, new Turn()));
}

function decode(body: unknown): z.infer<typeof tokenRequest> {
  const parsed = tokenRequest.safeParse(body);
  if (parsed.success) return parsed.data;
  throw badRequest(`the body cannot be handled as a TokenRequest: ${z.prettifyError(parsed.error)}`);
}
