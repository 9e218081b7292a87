import * as z from 'zod';
import type { Access } from '../access/access.ts';
import type { Token } from '../access/tokens.ts';
import { serviceAccountUser, userOf } from '../access/user.ts';
import type { ManagedFieldsEntry } from '../apply/managed-fields.ts';
import { singleVersion } from '../apply/field-types.ts';
import { trackUpdate } from '../apply/ownership.ts';
import { builtInSchema } from '../schema/built-in-schema.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import { now, timestamp } from '../resources/timestamp.ts';
import { partFormat } from '../representation/encoded-response.ts';
import { badRequest, invalid, invalidField, methodNotAllowed } from '../status.ts';
import { admitAction } from '../verbs/admitted.ts';
import { run } from '../verbs/steps.ts';
import type { Backend } from '../verbs/target.ts';
import { get } from '../verbs/target.ts';
import type { Exchange } from './exchange.ts';
import { readImplied } from './implied-kind.ts';
import type { ObjectRoute } from './route.ts';
import { parseWriteOptions } from './write-options.ts';

/** A cluster that issues tokens. */
export interface TokenBackend extends Backend {
  readonly access: Access;
  rememberToken(token: Token): void;
}

/** In seconds, as upstream. */
const DEFAULT_LIFETIME = 3600;
const SHORTEST_LIFETIME = 600;

const TOKEN_REQUEST = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' };

const tokenRequest = z.looseObject({
  kind: z.literal('TokenRequest'),
  apiVersion: z.literal('authentication.k8s.io/v1'),
  spec: z
    .looseObject({
      audiences: z.array(z.string()).nullish(),
      expirationSeconds: z.int().nullish(),
    })
    .default({}),
});

/** Serves a request for a token of a service account (API `TokenRequest`). @throws {StatusError} */
export async function serveTokenRequest(backend: TokenBackend, target: ObjectRoute, exchange: Exchange): Promise<void> {
  if (exchange.method !== 'POST') throw methodNotAllowed();
  partFormat(exchange.header('accept'), target.type);
  const { dryRun, admission, manager } = parseWriteOptions(exchange, 'CreateOptions');
  const { tokens, signingKey: key } = backend.access;
  const { spec } = decode(await readImplied(exchange, TOKEN_REQUEST));
  const { namespace, name, uid } = get(backend, target);
  const asked = {
    ...TOKEN_REQUEST,
    metadata: { name, namespace, uid, creationTimestamp: now() },
    spec: {
      ...spec,
      audiences: spec.audiences?.length ? spec.audiences : [key.issuer],
      expirationSeconds: spec.expirationSeconds ?? DEFAULT_LIFETIME,
      boundObjectRef: spec['boundObjectRef'] ?? null,
    },
    status: { token: '', expirationTimestamp: null },
  };
  const attributes = { ...target, ...TOKEN_REQUEST, subresource: 'token' };
  const admitted = decode(await run(admitAction(admission, attributes, asked))).spec;
  const expirationSeconds = admitted.expirationSeconds ?? DEFAULT_LIFETIME;
  if (expirationSeconds < SHORTEST_LIFETIME) {
    const detail = 'may not specify a duration less than 10 minutes';
    const error = invalidField('spec.expirationSeconds', expirationSeconds, detail);
    throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, '', [error]);
  }
  const expires = Date.now() + expirationSeconds * 1000;
  const user = { ...userOf(serviceAccountUser(namespace, name), []), uid };
  const audiences = admitted.audiences?.length ? admitted.audiences : [key.issuer];
  const claims = { 'kubernetes.io': { namespace, serviceaccount: { name, uid } } };
  const token = dryRun ? undefined : tokens.issueExpiring(user, { key, expires, audiences, claims });
  if (token) backend.rememberToken(token);
  exchange.send(201, {
    ...TOKEN_REQUEST,
    metadata: { name, namespace, uid, creationTimestamp: now(), managedFields: managersOf(manager, spec) },
    spec: { ...admitted, audiences, expirationSeconds, boundObjectRef: admitted['boundObjectRef'] ?? null },
    status: { token: token?.token ?? '', expirationTimestamp: timestamp(expires) },
  });
}

const TYPES = singleVersion(TOKEN_REQUEST.apiVersion, builtInSchema('TokenRequest'), { spec: {}, metadata: {} });

/** Returns the manager that owns the fields of a request. */
function managersOf(name: string, sent: object): ManagedFieldsEntry[] {
  const { apiVersion } = TOKEN_REQUEST;
  const spec = { expirationSeconds: DEFAULT_LIFETIME, ...sent };
  const object = { ...TOKEN_REQUEST, metadata: {}, spec } as unknown as ApiObject;
  return trackUpdate(
    TYPES,
    { name, operation: 'Update', apiVersion, subresource: 'token' },
    { live: undefined, object },
  );
}

function decode(body: unknown): z.infer<typeof tokenRequest> {
  const parsed = tokenRequest.safeParse(body);
  if (parsed.success) return parsed.data;
  throw badRequest(`the body cannot be handled as a TokenRequest: ${z.prettifyError(parsed.error)}`);
}
