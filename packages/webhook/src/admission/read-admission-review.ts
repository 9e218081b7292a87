import type { KubernetesObject } from '@mcr/core';
import * as z from 'zod';
import { badRequest } from '../server/refused-request-error.ts';
import type { AdmissionRequest } from './admission-request.ts';

/** Version of reviews that are read and written. */
export const ADMISSION_API_VERSION = 'admission.k8s.io/v1';
export const ADMISSION_KIND = 'AdmissionReview';

/** An absent, `null` or empty text is `undefined`, as in Go. */
const text = z
  .string()
  .nullish()
  .transform((value) => value || undefined);

const kind = z.object({ group: z.string(), version: z.string(), kind: z.string() });
const resource = z.object({ group: z.string(), version: z.string(), resource: z.string() });

/** An object of any kind, kept unchanged. The API server has validated it. */
const object = z
  .custom<KubernetesObject>((value) => typeof value === 'object' && !Array.isArray(value), 'expected an object')
  .nullish()
  .transform((value) => value ?? undefined);

const orUndefined = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value: z.output<Schema> | null | undefined) => value ?? undefined);

const requestSchema: z.ZodType<AdmissionRequest> = z
  .object({
    uid: z.string().min(1).max(256),
    kind,
    resource,
    subResource: text,
    requestKind: orUndefined(kind),
    requestResource: orUndefined(resource),
    requestSubResource: text,
    name: text,
    namespace: text,
    operation: z.enum(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']),
    userInfo: z.object({
      username: z
        .string()
        .nullish()
        .transform((value) => value ?? ''),
      uid: text,
      groups: orUndefined(z.array(z.string())).transform((groups) => groups ?? []),
      extra: orUndefined(z.record(z.string(), z.array(z.string()))).transform((extra) => extra ?? {}),
    }),
    object,
    oldObject: object,
    dryRun: z
      .boolean()
      .nullish()
      .transform((value) => value ?? false),
    options: orUndefined(
      z.custom<Readonly<Record<string, unknown>>>((value) => typeof value === 'object', 'expected an object'),
    ),
  })
  .refine(({ operation, object: after, oldObject }) => {
    if (operation === 'DELETE') return oldObject !== undefined;
    if (operation === 'UPDATE') return after !== undefined && oldObject !== undefined;
    return after !== undefined;
  }, 'the operation lacks its object or oldObject');

const typeSchema = z.looseObject({ apiVersion: z.string(), kind: z.string(), request: z.unknown() });

/**
 * Checks a review of an API server, and returns its request.
 *
 * @throws {RefusedRequestError} with status 400, if it is not an AdmissionReview of version v1 with a request. The
 *   message names the first field that is wrong.
 */
export function readAdmissionReview(body: unknown): AdmissionRequest {
  const type = typeSchema.safeParse(body);
  if (!type.success || type.data.kind !== ADMISSION_KIND) {
    throw badRequest(`expected an ${ADMISSION_KIND} of ${ADMISSION_API_VERSION}`);
  }
  if (type.data.apiVersion !== ADMISSION_API_VERSION) {
    throw badRequest(
      `expected an ${ADMISSION_KIND} of ${ADMISSION_API_VERSION}: set admissionReviewVersions of the webhook to ["v1"]`,
    );
  }
  const { data, error } = requestSchema.safeParse(type.data.request);
  if (error) {
    const [issue] = error.issues;
    const path = ['request', ...(issue?.path ?? [])].join('.');
    throw badRequest(`the ${ADMISSION_KIND} is invalid at ${path}: send a review as kube-apiserver does`);
  }
  return data;
}
