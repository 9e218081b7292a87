import { randomUUID } from 'node:crypto';
import type { Draft, KubernetesObject } from '@mcr/core';
import { silentLogger } from '@mcr/core';
import { formatJson, parseApiVersion, parseDocument, parseOptions } from '@mcr/core/provider';
import * as z from 'zod';
import type { WebhookCluster } from './admission-context.ts';
import type { AdmissionHandler } from './admission-handler.ts';
import type { AdmissionOperation, AdmissionRequest, UserInfo } from './admission-request.ts';
import type { Denial } from './denial.ts';
import { applyJsonPatch } from './apply-json-patch.ts';
import type { KindWebhook } from './kind-webhook.ts';
import { reviewAdmission } from './review-admission.ts';

/** Options of {@link admit}. */
export interface AdmitOptions<T extends KubernetesObject> {
  /** Default: `UPDATE` with `oldObject`, else `CREATE`. */
  readonly operation?: 'CREATE' | 'UPDATE' | 'DELETE';
  /** The object before an update. */
  readonly oldObject?: Draft<T>;
  /** Default: false. */
  readonly dryRun?: boolean;
  /** The user who sends the request. Default: `system:admin`, in the group `system:masters`. */
  readonly user?: Partial<UserInfo>;
  /** The cluster that asks. Default: the cluster of the manager, without labels. */
  readonly cluster?: WebhookCluster;
  /** Default: a signal that never aborts. */
  readonly signal?: AbortSignal;
}

/** Result of {@link admit}. */
export interface Admitted<T extends KubernetesObject> {
  readonly allowed: boolean;
  /** Why the request is denied. */
  readonly denial: Denial | undefined;
  /** The object with the defaults that were set. Its metadata are those of the call: no server adds a uid, for example. */
  readonly object: T;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

const schema = z.strictObject({
  operation: z.enum(['CREATE', 'UPDATE', 'DELETE']).optional(),
  oldObject: z.custom((value) => typeof value === 'object' && value !== null, 'expected an object').optional(),
  dryRun: z.boolean().optional(),
  user: z.looseObject({}).optional(),
  cluster: z.looseObject({ name: z.string() }).optional(),
  signal: z.instanceof(AbortSignal).optional(),
} satisfies Record<keyof AdmitOptions<KubernetesObject>, z.ZodType>);

/**
 * Sends an object through a webhook as an API server would: first the defaults, then the validators, if the webhook has
 * one for the operation. For tests; it needs no server. The object is not changed.
 *
 * @param object for example one that `newObject` of `@mcr/kinds` returns: fields that a server sets may be missing. For a deletion, the object that is deleted.
 * @throws whatever a handler throws. A server would answer 500, so that the `failurePolicy` applies.
 */
export async function admit<T extends KubernetesObject>(
  webhook: KindWebhook<T>,
  object: Draft<NoInfer<T>>,
  options: AdmitOptions<NoInfer<T>> = {},
): Promise<Admitted<T>> {
  parseOptions('admit', schema, options, '{ oldObject: ... }');
  const { oldObject, operation = oldObject ? 'UPDATE' : 'CREATE', cluster = { name: '' } } = options;
  // A handler gets what arrives as JSON: without undefined fields, and not the caller's own object.
  let current = copyOf(webhook, object);
  const warnings: string[] = [];
  const auditAnnotations: Record<string, string> = {};
  const signal = options.signal ?? new AbortController().signal;
  let denial: Denial | undefined;
  for (const handler of webhook.handlers()) {
    if (denial || !isAsked(handler, operation)) continue;
    const request = requestOf(webhook, current, { ...options, operation });
    const response = await reviewAdmission(handler, request, { cluster, signal, log: silentLogger });
    denial = response.denial;
    current = applyJsonPatch(current, response.patch);
    warnings.push(...response.warnings);
    Object.assign(auditAnnotations, response.auditAnnotations);
  }
  return { allowed: denial === undefined, denial, object: current, warnings, auditAnnotations };
}

function isAsked({ rules }: AdmissionHandler, operation: AdmissionOperation): boolean {
  return rules.some(({ subresource, operations }) => subresource === undefined && operations.includes(operation));
}

function requestOf<T extends KubernetesObject>(
  webhook: KindWebhook<T>,
  object: T,
  { operation = 'CREATE', oldObject, dryRun = false, user }: AdmitOptions<T>,
): AdmissionRequest {
  const { apiVersion, kind, plural } = webhook.kind;
  const { group, version } = parseApiVersion(apiVersion);
  const { name, namespace } = object.metadata;
  const before = oldObject && copyOf(webhook, oldObject);
  return {
    uid: randomUUID(),
    kind: { group, version, kind },
    resource: { group, version, resource: plural ?? `${kind.toLowerCase()}s` },
    name,
    namespace,
    operation,
    userInfo: { username: 'system:admin', groups: ['system:masters'], extra: {}, ...user },
    object: operation === 'DELETE' ? undefined : object,
    oldObject: operation === 'DELETE' ? object : before,
    dryRun,
  };
}

/** Returns the object as a webhook gets it. */
function copyOf<T extends KubernetesObject>({ kind: { apiVersion, kind } }: KindWebhook<T>, object: Draft<T>): T {
  // A handler of a create sees the same: a document of the kind, without the fields that the server sets later.
  return { ...(parseDocument(formatJson(object)) as object), apiVersion, kind } as unknown as T;
}
