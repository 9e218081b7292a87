import type { KubernetesObject } from '@mcr/core';
import type { AdmissionContext } from './admission-context.ts';
import type { AdmissionOperation, AdmissionRequest } from './admission-request.ts';
import type { Denial } from './denial.ts';
import { isDenial } from './denial.ts';
import type { PatchOperation } from './json-patch.ts';
import { jsonPatch } from './json-patch.ts';

/** Decision of a validator: nothing allows the request. */
export type Decision = Denial | undefined | void;

/** The webhook of one path: it changes objects, or decides about requests. */
export interface AdmissionHandler {
  readonly type: 'mutating' | 'validating';
  readonly path: string;
  /** Requests that the API server sends to it. */
  readonly rules: readonly AdmissionRule[];
  /** @returns a denial, or the changes of the object. */
  handle(request: AdmissionRequest, context: AdmissionContext): Promise<HandlerResult>;
}

/** Operations on one resource. */
export interface AdmissionRule {
  readonly operations: readonly AdmissionOperation[];
  /** Default: the object itself. */
  readonly subresource?: string;
}

export interface HandlerResult {
  readonly denial?: Denial | undefined;
  readonly patch: readonly PatchOperation[];
}

/** Calls a function that changes the object in place, and returns the changes. */
export async function mutate<T extends KubernetesObject>(
  request: AdmissionRequest,
  change: (object: T) => Decision | Promise<Decision>,
): Promise<HandlerResult> {
  const { object } = request;
  if (!object) return { patch: [] };
  const changed = structuredClone(object);
  // The kind of the webhook determines the type, and the API server has validated the object.
  const denial = denialIn('default', await change(changed as T));
  return denial ? { denial, patch: [] } : { patch: jsonPatch(object, changed) };
}

/**
 * Checks what a handler returned.
 *
 * @throws {TypeError} if it is neither a denial nor nothing: `false` or a text must not allow a request.
 */
export function denialIn(handler: string, value: unknown): Denial | undefined {
  if (value === undefined) return undefined;
  if (isDenial(value)) return value;
  throw new TypeError(`the handler "${handler}" returned neither nothing nor a denial: return deny(message) to refuse`);
}
