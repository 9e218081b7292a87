import type { KubernetesObject } from '@mcr/core';
import { ownField, parseApiVersion, workInTurn } from '@mcr/core/provider';
import { equalJson, isJsonObject } from '../admission/equal-json.ts';
import { toJson } from '../admission/to-json.ts';
import type { CallContext } from '../admission/admission-context.ts';
import type { Endpoint, Review } from '../server/endpoint.ts';
import { badRequest } from '../server/refused-request-error.ts';
import type { Conversion } from './conversion.ts';
import type { ConversionRequest } from './read-conversion-review.ts';
import { CONVERSION_API_VERSION, CONVERSION_KIND, readConversionReview } from './read-conversion-review.ts';

/** Path of all conversions, as in controller-runtime. */
export const CONVERSION_PATH = '/convert';

/** Serves all conversions at one path: the objects of a review say which one is meant. */
export class ConversionEndpoint implements Endpoint {
  readonly path = CONVERSION_PATH;
  readonly maxBody: number;
  /** Keyed by group and kind. */
  readonly #conversions = new Map<string, Conversion>();

  constructor({ maxBody }: { readonly maxBody: number }) {
    this.maxBody = maxBody;
  }

  get conversions(): readonly Conversion[] {
    return [...this.#conversions.values()];
  }

  /** @throws {TypeError} if the kind has a conversion. */
  add(conversion: Conversion): void {
    const key = groupKind(conversion.kind);
    if (this.#conversions.has(key)) {
      throw new TypeError(`webhooks.register: ${key} has a conversion already: register one for each kind`);
    }
    this.#conversions.set(key, conversion);
  }

  read(body: unknown): Review {
    const request = readConversionReview(body);
    const [first] = request.objects;
    const kind = first && groupKind(first);
    if (request.objects.some((object) => groupKind(object) !== kind)) {
      throw badRequest('the review has objects of several kinds: send a review as kube-apiserver does');
    }
    return {
      // Only kinds that are registered, so that the number of counts is limited.
      webhook: kind !== undefined && this.#conversions.has(kind) ? `${this.path} ${kind}` : this.path,
      answer: (context) => this.#answer(request, context),
    };
  }

  async #answer(request: ConversionRequest, context: CallContext): Promise<object> {
    const log = context.log.child({ uid: request.uid });
    return {
      apiVersion: CONVERSION_API_VERSION,
      kind: CONVERSION_KIND,
      response: { uid: request.uid, ...(await this.#convertAll(request, { ...context, log })) },
    };
  }

  async #convertAll({ objects, desiredAPIVersion }: ConversionRequest, context: CallContext): Promise<object> {
    const convertedObjects: KubernetesObject[] = [];
    for (const object of objects) {
      context.signal.throwIfAborted();
      convertedObjects.push(await this.#convert(object, desiredAPIVersion, context));
    }
    return { convertedObjects, result: { status: 'Success' } };
  }

  async #convert(object: KubernetesObject, toVersion: string, context: CallContext): Promise<KubernetesObject> {
    if (object.apiVersion === toVersion) return object;
    const conversion = this.#conversions.get(groupKind(object));
    const isOwn = parseApiVersion(object.apiVersion).group === parseApiVersion(toVersion).group;
    if (!conversion || !isOwn) {
      throw badRequest('this server does not convert the kind of the review: register a conversion for it');
    }
    const { kind, metadata } = structuredClone(object);
    const hasSpec = ownField({ ...object }, 'spec') !== undefined;
    const returned: unknown = await workInTurn(() => conversion.convert(object, toVersion, context));
    const converted = jsonOf(returned, `the conversion of ${kind} to ${toVersion}`);
    check(converted, { apiVersion: toVersion, kind, metadata }, hasSpec);
    return converted;
  }
}

/** @throws {TypeError} that names the field, if a conversion returned a value that JSON cannot hold. */
function jsonOf(returned: unknown, subject: string): unknown {
  try {
    return toJson(returned, '');
  } catch (cause) {
    throw new TypeError(`${subject} returned a wrong value: ${(cause as Error).message}`, { cause });
  }
}

/**
 * Checks what a conversion returned. API servers refuse it otherwise, or drop the changes without a message.
 *
 * @throws {TypeError} that names the field.
 */
function check(
  converted: unknown,
  expected: KubernetesObject,
  hasSpec: boolean,
): asserts converted is KubernetesObject {
  const { apiVersion, kind, metadata, spec } = Object(converted) as Partial<KubernetesObject> & { spec?: unknown };
  const refuse = (what: string, remedy: string): never => {
    throw new TypeError(`the conversion of ${expected.kind} to ${expected.apiVersion} returned ${what}: ${remedy}`);
  };
  if (apiVersion !== expected.apiVersion) refuse('another apiVersion', 'set it to the version that is asked for');
  if (kind !== expected.kind) refuse('another kind', 'keep it');
  if (!equalJson(withoutLabels(metadata), withoutLabels(expected.metadata))) {
    refuse('another metadata', 'change only labels and annotations');
  }
  if (!isTexts(metadata?.labels)) refuse('labels that are not strings', 'set metadata.labels to strings');
  if (!isTexts(metadata?.annotations))
    refuse('annotations that are not strings', 'set metadata.annotations to strings');
  if (hasSpec && spec === undefined) refuse('no spec', 'return that of the version that is asked for');
}

function isTexts(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return isJsonObject(value) && Object.values(value).every((text) => typeof text === 'string');
}

function withoutLabels(metadata: object | undefined): unknown {
  return { ...metadata, labels: undefined, annotations: undefined };
}

function groupKind({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  const { group } = parseApiVersion(apiVersion);
  return group === '' ? kind : `${kind}.${group}`;
}
