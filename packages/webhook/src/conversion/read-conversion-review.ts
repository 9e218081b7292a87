import type { KubernetesObject } from '@mcr/core';
import * as z from 'zod';
import { badRequest } from '../server/refused-request-error.ts';

/** Version of reviews that are read and written. */
export const CONVERSION_API_VERSION = 'apiextensions.k8s.io/v1';
export const CONVERSION_KIND = 'ConversionReview';

/** The `request` of a ConversionReview. */
export interface ConversionRequest {
  readonly uid: string;
  /** The `apiVersion` to convert to. */
  readonly desiredAPIVersion: string;
  readonly objects: readonly KubernetesObject[];
}

const object = z.custom<KubernetesObject>((value) => {
  const { apiVersion, kind, metadata } = Object(value) as Readonly<Record<string, unknown>>;
  return (
    typeof apiVersion === 'string' && typeof kind === 'string' && typeof metadata === 'object' && metadata !== null
  );
}, 'expected an object');

const requestSchema: z.ZodType<ConversionRequest> = z.object({
  uid: z.string().min(1).max(256),
  desiredAPIVersion: z.string().min(1).max(512),
  objects: z.array(object),
});

const typeSchema = z.looseObject({ apiVersion: z.string(), kind: z.string(), request: z.unknown() });

/**
 * Checks a review of an API server, and returns its request.
 *
 * @throws {RefusedRequestError} with status 400, if it is not a ConversionReview of version v1 with a request.
 */
export function readConversionReview(body: unknown): ConversionRequest {
  const type = typeSchema.safeParse(body);
  if (!type.success || type.data.kind !== CONVERSION_KIND) {
    throw badRequest(`expected a ${CONVERSION_KIND} of ${CONVERSION_API_VERSION}`);
  }
  if (type.data.apiVersion !== CONVERSION_API_VERSION) {
    throw badRequest(
      `expected a ${CONVERSION_KIND} of ${CONVERSION_API_VERSION}: set conversionReviewVersions of the definition to ["v1"]`,
    );
  }
  const { data, error } = requestSchema.safeParse(type.data.request);
  if (error) {
    const path = ['request', ...(error.issues[0]?.path ?? [])].join('.');
    throw badRequest(`the ${CONVERSION_KIND} is invalid at ${path}: send a review as kube-apiserver does`);
  }
  return data;
}
