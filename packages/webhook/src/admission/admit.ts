import { randomUUID } from 'node:crypto';
import type { KubernetesObject } from '@mcr/core';
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
  readonly oldObject?: T;
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
  /** The object with the defaults that were set. */
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
 * @param object for a deletion, the object that is deleted.
 * @throws whatever a handler throws. A server would answer 500, so that the `failurePolicy` applies.
 */
export async function admit<T extends KubernetesObject>(
  webhook: KindWebhook<T>,
  object: T,
  options: AdmitOptions<T> = {},
): Promise<Admitted<T>> {
  parseOptions('admit', schema, options, '{ oldObject: ... }');
  const { oldObject, operation = oldObject ? 'UPDATE' : 'CREATE', cluster = { name: '' } } = options;
  // A handler gets what arrives as JSON: without undefined fields, and not the caller's own object.
  let current = copyOf(object);
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
  { kind: { apiVersion, kind, plural } }: KindWebhook<T>,
  object: T,
  { operation = 'CREATE', oldObject, dryRun = false, user }: AdmitOptions<T>,
): AdmissionRequest {
  const { group, version } = parseApiVersion(apiVersion);
  const { name, namespace } = object.metadata;
  const after = { ...object, apiVersion, kind };
  const before = oldObject && { ...copyOf(oldObject), apiVersion, kind };
  return {
    uid: randomUUID(),
    kind: { group, version, kind },
    resource: { group, version, resource: plural ?? `${kind.toLowerCase()}s` },
    name,
    namespace,
    operation,
    userInfo: { username: 'system:admin', groups: ['system:masters'], extra: {}, ...user },
    object: operation === 'DELETE' ? undefined : after,
    oldObject: operation === 'DELETE' ? after : before,
    dryRun,
  };
}

function copyOf<T extends KubernetesObject>(object: T): T {
  return parseDocument(formatJson(object)) as T;
}
