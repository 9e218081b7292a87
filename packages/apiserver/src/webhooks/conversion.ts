import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { DefinitionSpec } from '../definitions/definition.ts';
import { prune } from '../schema/prune.ts';
import type { Schema } from '../schema/schema.ts';
import { kindText, StatusError } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import { convertedMetadata, identityError } from './converted-object.ts';
import type { WebhookClient } from './webhook-client.ts';
import { WebhookCallError } from './webhook-client.ts';

/** In milliseconds, as documented for conversion webhooks. */
const TIMEOUT = 30_000;

/** Limits of one request. */
const BATCH_LIMIT = 100;
const BATCH_BYTES = 1024 * 1024;

const review = z.looseObject({
  apiVersion: z.string().nullish(),
  kind: z.string().nullish(),
  response: z
    .looseObject({
      uid: z.string().nullish(),
      convertedObjects: z.array(z.unknown()).nullish(),
      result: z.looseObject({ status: z.string().nullish(), message: z.string().nullish() }).nullish(),
    })
    .nullish(),
});

/** Converts objects of a custom kind between versions with the webhook of its definition. */
export class WebhookConversion {
  readonly #client: WebhookClient;
  readonly #spec: DefinitionSpec;
  readonly #schemas: ReadonlyMap<string, Schema>;

  /** @param schemas schemas by `apiVersion`. */
  constructor(client: WebhookClient, spec: DefinitionSpec, schemas: ReadonlyMap<string, Schema>) {
    this.#client = client;
    this.#spec = spec;
    this.#schemas = schemas;
  }

  /** @throws {StatusError} 500 with the reason why the webhook or its response failed. */
  async convert(objects: readonly ApiObject[], apiVersion: string): Promise<ApiObject[]> {
    const converted: ApiObject[] = [];
    for (const batch of batches(objects)) converted.push(...(await this.#convertBatch(batch, apiVersion)));
    return converted;
  }

  async #convertBatch(objects: readonly ApiObject[], apiVersion: string): Promise<ApiObject[]> {
    const [first] = objects;
    if (!first) return [];
    const subject = `conversion webhook for ${kindText(first.apiVersion, first.kind)}`;
    const results = await this.#ask(subject, objects, apiVersion);
    if (results.length !== objects.length) {
      throw failure(`${subject} returned ${results.length} objects, expected ${objects.length}`);
    }
    return objects.map((original, index) => {
      const result = results[index];
      const place = objects.length > 1 ? `invalid converted object at index ${index}` : 'invalid object';
      const error = identityError(original, result, apiVersion);
      if (error !== undefined) {
        const at = objects.length === 1 && error.early ? 'invalid object at index 0' : place;
        throw failure(`${subject} returned ${at}: ${error.message}`);
      }
      const converted = convertedMetadata(original, result as ApiObject);
      if (typeof converted === 'string') throw failure(`${subject} returned invalid metadata: ${converted}`);
      const schema = this.#schemas.get(apiVersion);
      if (schema) prune(schema, converted);
      return converted;
    });
  }

  async #ask(subject: string, objects: readonly ApiObject[], desiredAPIVersion: string): Promise<readonly unknown[]> {
    const { clientConfig = {}, conversionReviewVersions = [] } = this.#spec.conversion?.webhook ?? {};
    const version = conversionReviewVersions.find((known) => known === 'v1' || known === 'v1beta1');
    if (version === undefined) throw failure('no supported conversion review versions');
    const uid = randomUUID();
    const apiVersion = `apiextensions.k8s.io/${version}`;
    const body = { kind: 'ConversionReview', apiVersion, request: { uid, desiredAPIVersion, objects } };
    try {
      const reviewed = await this.#client.call({
        config: clientConfig,
        body,
        timeout: TIMEOUT,
        kind: 'ConversionReview',
      });
      return convertedObjects(reviewed, uid, version);
    } catch (error) {
      if (!(error instanceof WebhookCallError)) throw error;
      throw failure(`${subject} failed: ${error.message}`);
    }
  }
}

/** @throws {WebhookCallError} if the response is incomplete or reports a failure. */
function convertedObjects(reviewed: object, uid: string, version: string): readonly unknown[] {
  const parsed = review.safeParse(reviewed);
  if (!parsed.success) throw new WebhookCallError(`invalid ConversionReview: ${z.prettifyError(parsed.error)}`);
  const { apiVersion, kind, response } = parsed.data;
  const expected = 'apiextensions.k8s.io/v1, Kind=ConversionReview';
  const got = kindText(apiVersion ?? '', kind ?? '');
  if (version === 'v1' && got !== expected) {
    throw new WebhookCallError(`expected webhook response of ${expected}, got ${got}`);
  }
  if (!response) throw new WebhookCallError('no response provided');
  if (version === 'v1' && response.uid !== uid) {
    throw new WebhookCallError(`expected response.uid="${uid}", got "${response.uid ?? ''}"`);
  }
  const status = response.result?.status ?? '';
  if (status !== 'Success') {
    throw new WebhookCallError(response.result?.message || `response.result.status was '${status}', not 'Success'`);
  }
  return response.convertedObjects ?? [];
}

function failure(message: string): StatusError {
  return new StatusError(500, undefined, message);
}

function* batches(objects: readonly ApiObject[]): Generator<readonly ApiObject[]> {
  let batch: ApiObject[] = [];
  let size = 0;
  for (const object of objects) {
    const bytes = objects.length === 1 ? 0 : JSON.stringify(object).length;
    if (batch.length > 0 && (batch.length === BATCH_LIMIT || size + bytes > BATCH_BYTES)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(object);
    size += bytes;
  }
  if (batch.length > 0) yield batch;
}
