import * as z from 'zod';
import type { Authorizer } from '../access/authorizer.ts';
import type { User } from '../access/user.ts';
import type { StatusDetails } from '../status.ts';
import { kindText, StatusError } from '../status.ts';
import type { JsonObject } from '../storage/stored-object.ts';
import { WebhookCallError } from '../webhooks/webhook-client.ts';
import type { VersionedAttributes } from './versioned.ts';

/** Circumstances of a request. */
export interface ReviewContext {
  readonly user: User;
  readonly authorizer: Authorizer;
  readonly dryRun: boolean;
  /** Returns the options of an operation, such as CreateOptions. */
  readonly options: (operation: string) => JsonObject | null;
}

/** Returns the `request` of an AdmissionReview. */
export function admissionRequest(
  uid: string,
  { attributes, type, kind, object, oldObject }: VersionedAttributes,
  { user, dryRun, options }: ReviewContext,
): JsonObject {
  const { subresource, name, namespace, operation } = attributes;
  const resourceOf = ({ group, version, plural }: typeof type): object => ({ group, version, resource: plural });
  const kindOf = ({ group, version, kind: text }: typeof kind): object => ({ group, version, kind: text });
  return {
    uid,
    kind: kindOf(kind),
    resource: resourceOf(type),
    ...(subresource !== '' && { subResource: subresource }),
    requestKind: kindOf(attributes.kind),
    requestResource: resourceOf(attributes.type),
    ...(subresource !== '' && { requestSubResource: subresource }),
    ...(name !== '' && { name }),
    ...(namespace !== '' && { namespace }),
    operation,
    userInfo: userInfo(user),
    object: object ?? null,
    oldObject: oldObject ?? null,
    dryRun,
    options: options(operation),
  };
}

function userInfo({ name, uid, groups, extra }: User): JsonObject {
  return {
    username: name,
    ...(uid !== undefined && uid !== '' && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(extra && Object.keys(extra).length > 0 && { extra }),
  };
}

const text = z.string().nullish();

const details = z
  .object({
    name: text,
    group: text,
    kind: text,
    uid: text,
    causes: z.array(z.object({ reason: text, message: text, field: text }).transform(withoutNulls)).nullish(),
    retryAfterSeconds: z.int32().nullish(),
  })
  .transform((value) => withoutNulls(value) as StatusDetails);

function withoutNulls(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null && field !== undefined));
}

const status = z.looseObject({
  status: z.string().nullish(),
  message: z.string().nullish(),
  reason: z.string().nullish(),
  code: z.int32().nullish(),
  details: details.nullish(),
});

const reviewSchema = z.looseObject({
  apiVersion: z.string().nullish(),
  kind: z.string().nullish(),
  response: z
    .looseObject({
      uid: z.string().nullish(),
      allowed: z.boolean().nullish(),
      status: status.nullish(),
      patch: z.base64().nullish(),
      patchType: z.string().nullish(),
      auditAnnotations: z.record(z.string(), z.string()).nullish(),
      warnings: z.array(z.string().nullable()).nullish(),
    })
    .nullish(),
});

/** A valid response of a webhook. */
export interface AdmissionResponse {
  readonly allowed: boolean;
  readonly status: z.infer<typeof status> | undefined;
  /** JSON of the patch; `''` for none. */
  readonly patch: string;
  readonly patchType: string;
  readonly warnings: readonly string[];
}

export interface Expected {
  readonly uid: string;
  /** Version of AdmissionReview that was sent. */
  readonly version: string;
  readonly mutating: boolean;
}

/** Checks the AdmissionReview that a webhook returned. @throws {WebhookCallError} */
export function readAdmissionResponse(review: object, { uid, version, mutating }: Expected): AdmissionResponse {
  const parsed = reviewSchema.safeParse(review);
  if (!parsed.success) {
    throw new WebhookCallError(`failed to call webhook: invalid AdmissionReview: ${z.prettifyError(parsed.error)}`);
  }
  const { apiVersion, kind, response } = parsed.data;
  const refuse = (message: string): never => {
    throw new WebhookCallError(`received invalid webhook response: ${message}`);
  };
  if (!response) return refuse('webhook response was absent');
  const patch = Buffer.from(response.patch ?? '', 'base64').toString();
  const patchType = response.patchType ?? undefined;
  if (version === 'v1') {
    if (response.uid !== uid)
      refuse(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`);
    const expected = 'admission.k8s.io/v1, Kind=AdmissionReview';
    const got = kindText(apiVersion ?? '', kind ?? '');
    if (got !== expected) refuse(`expected webhook response of ${expected}, got ${got}`);
    if (mutating) {
      if (patch !== '' && patchType === undefined) refuse('webhook returned response.patch but not response.patchType');
      if (patch === '' && patchType !== undefined) refuse('webhook returned response.patchType but not response.patch');
      if (patchType === '') refuse('webhook returned invalid response.patchType of ""');
    } else {
      if (patch !== '') refuse('validating webhook may not return response.patch');
      if (patchType !== undefined) refuse('validating webhook may not return response.patchType');
    }
  }
  return {
    allowed: response.allowed === true,
    status: response.status ?? undefined,
    patch: mutating ? patch : '',
    patchType: version === 'v1' ? (patchType ?? '') : 'JSONPatch',
    warnings: response.warnings?.filter((each) => each !== null) ?? [],
  };
}

/** Largest code of a response in HTTP/1.1. kube-apiserver panics at larger ones. */
const LARGEST_CODE = 999;

/** Returns the error of a request that a webhook denied. */
export function denial(webhook: string, { status: result }: AdmissionResponse): StatusError {
  const by = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const why = result?.message || result?.reason;
  const code = result?.code ?? 0;
  return new StatusError(
    code < 400 ? 400 : Math.min(code, LARGEST_CODE),
    result?.reason ?? undefined,
    why ? `${by}: ${why}` : `${by} without explanation`,
    result?.details ?? undefined,
  );
}
