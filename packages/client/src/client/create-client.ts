import { kindText, type Kind } from '../kinds/kind.ts';
import type { DeepReadonly, Draft, KubernetesList, KubernetesObject, ObjectKey } from '../kinds/object.ts';
import { collectionPath, objectPath } from '../kinds/resource-path.ts';
import { createRestMapper, type RestMapper, type RestMapping } from '../kinds/rest-mapper.ts';
import { orAborted } from '../clock/or-aborted.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';
import type { Logger } from '../log/logger.ts';
import { tracedTransport } from '../tracing/traced-transport.ts';
import type { Tracer } from '../tracing/tracer.ts';
import { createTransport } from '../transport/create-transport.ts';
import type { Transport, TransportRequest } from '../transport/transport.ts';
import { readEvents } from '../watch/read-events.ts';
import type { WatchEvent } from '../watch/watch-event.ts';
import { isNotFound } from './api-error.ts';
import type {
  CallOptions,
  Client,
  DeleteOptions,
  GetOptions,
  ListOptions,
  PatchType,
  SubresourceWriter,
  WatchOptions,
  WriteOptions,
} from './client.ts';
import { readApiError, readJson } from './response-body.ts';
import { acceptOf, bodyOf, JSON_TYPE, listOf, ofKind, queryText, type DraftFields } from './wire-format.ts';

export interface ClientOptions {
  /** Default: one of its own, made from the config and closed with the client. */
  readonly transport?: Transport;
  /** Default: one that asks the server. */
  readonly restMapper?: RestMapper;
  /** Default: logs nothing. */
  readonly logger?: Logger;
  /** Makes a span of each request. Default: none. */
  readonly tracer?: Tracer;
  /** Names the cluster in spans. */
  readonly clusterName?: string;
}

/** A client whose reads and writes all go to the API server. */
export interface ApiClient extends Client, AsyncDisposable {
  /** Closes the transport, unless it was given to the client. */
  close(): Promise<void>;
}

/** @throws {TypeError} when `config` cannot be used; the message names the field. */
export function createClient(config: ClusterConfig, options: ClientOptions = {}): ApiClient {
  const { tracer, clusterName } = options;
  const plain = options.transport ?? createTransport(config, options);
  const transport = tracer ? tracedTransport(plain, { tracer, clusterName }) : plain;
  const restMapper = options.restMapper ?? createRestMapper(transport);
  return new HttpClient(transport, restMapper, { ownsTransport: options.transport === undefined });
}

const PATCH_TYPES: Readonly<Record<PatchType, string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

class HttpClient implements ApiClient {
  readonly #transport: Transport;
  readonly #restMapper: RestMapper;
  readonly #ownsTransport: boolean;
  readonly status: SubresourceWriter;

  constructor(transport: Transport, restMapper: RestMapper, { ownsTransport }: { readonly ownsTransport: boolean }) {
    this.#transport = transport;
    this.#restMapper = restMapper;
    this.#ownsTransport = ownsTransport;
    this.status = {
      update: (kind, object, options) => this.#put(kind, object, options, 'status'),
      patch: (kind, key, patch, type, options) =>
        this.#patch(kind, { ...key, subresource: 'status' }, patch, type, options),
    };
  }

  async get<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    options: GetOptions = {},
  ): Promise<DeepReadonly<T>> {
    const path = objectPath(kind, await this.#resolve(kind, options), key);
    const object = await this.#call(options, {
      method: 'GET',
      path: path + queryText({ resourceVersion: options.resourceVersion }),
      headers: { accept: acceptOf(kind, 'PartialObjectMetadata') },
    });
    return readonly(ofKind(kind, object as T));
  }

  async find<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    options?: GetOptions,
  ): Promise<DeepReadonly<T> | undefined> {
    try {
      return await this.get(kind, key, options);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async list<T extends KubernetesObject>(
    kind: Kind<T>,
    options: ListOptions = {},
  ): Promise<DeepReadonly<KubernetesList<T>>> {
    if (options.index) throw new TypeError(`the index ${options.index.name} is of a cache: an API server knows none`);
    const path = collectionPath(kind, await this.#resolve(kind, options), options.namespace);
    const query = queryText({
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
      resourceVersion: options.resourceVersion,
      resourceVersionMatch: options.resourceVersionMatch,
      limit: options.limit,
      continue: options.continue,
    });
    const answer = await this.#call(options, {
      method: 'GET',
      path: path + query,
      headers: { accept: acceptOf(kind, 'PartialObjectMetadataList') },
    });
    return readonly(listOf(kind, answer));
  }

  async create<T extends KubernetesObject>(
    kind: Kind<T>,
    object: DeepReadonly<Draft<T>>,
    options: WriteOptions = {},
  ): Promise<T> {
    const body = bodyOf(kind, object);
    const mapping = await this.#resolve(kind, options);
    const { namespace } = (object as DraftFields).metadata;
    if (!namespace && mapping.scope === 'Namespaced') {
      throw new TypeError(
        `${kindText(kind)} is namespaced: metadata.namespace must name the namespace to create it in`,
      );
    }
    return this.#write(kind, options, { method: 'POST', path: collectionPath(kind, mapping, namespace), body });
  }

  update<T extends KubernetesObject>(
    kind: Kind<T>,
    object: DeepReadonly<Draft<T>>,
    options?: WriteOptions,
  ): Promise<T> {
    return this.#put(kind, object, options);
  }

  patch<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    patch: unknown,
    type: PatchType,
    options?: WriteOptions,
  ): Promise<T> {
    return this.#patch(kind, key, patch, type, options);
  }

  async delete<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey, options: DeleteOptions = {}): Promise<void> {
    const path = objectPath(kind, await this.#resolve(kind, options), key);
    const { preconditions, propagationPolicy, gracePeriodSeconds, dryRun } = options;
    await this.#call(options, {
      method: 'DELETE',
      path,
      headers: { accept: JSON_TYPE, 'content-type': JSON_TYPE },
      body: JSON.stringify({
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions,
        propagationPolicy,
        gracePeriodSeconds,
        ...(dryRun && { dryRun: ['All'] }),
      }),
    });
  }

  async *watch<T extends KubernetesObject>(
    kind: Kind<T>,
    options: WatchOptions,
  ): AsyncGenerator<WatchEvent<T>, void, undefined> {
    for await (const events of this.watchBatches(kind, options)) yield* events;
  }

  async *watchBatches<T extends KubernetesObject>(
    kind: Kind<T>,
    options: WatchOptions,
  ): AsyncGenerator<readonly WatchEvent<T>[], void, undefined> {
    const path = collectionPath(kind, await this.#resolve(kind, options), options.namespace);
    const query = queryText({
      watch: true,
      allowWatchBookmarks: options.allowWatchBookmarks ?? true,
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
      resourceVersion: options.resourceVersion,
      sendInitialEvents: options.sendInitialEvents,
      resourceVersionMatch: options.sendInitialEvents === undefined ? undefined : 'NotOlderThan',
      timeoutSeconds: options.timeoutSeconds,
    });
    const response = await this.#transport.send({
      method: 'GET',
      path: path + query,
      headers: { accept: acceptOf(kind, 'PartialObjectMetadata') },
      signal: options.signal,
      streaming: true,
    });
    if (response.status !== 200) throw await readApiError(response);
    for await (const events of readEvents<T>(response.body)) {
      if (kind.metadataOnly) {
        for (const event of events) if (isObjectEvent(event)) ofKind(kind, event.object);
      }
      yield events;
    }
  }

  async close(): Promise<void> {
    if (this.#ownsTransport) await this.#transport.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #put<T extends KubernetesObject>(
    kind: Kind<T>,
    object: DeepReadonly<Draft<T>>,
    options: WriteOptions = {},
    subresource?: string,
  ): Promise<T> {
    const body = bodyOf(kind, object);
    const { namespace, name = '' } = (object as DraftFields).metadata;
    const path = objectPath(kind, await this.#resolve(kind, options), { namespace, name, subresource });
    return this.#write(kind, options, { method: 'PUT', path, body });
  }

  async #patch<T extends KubernetesObject>(
    kind: Kind<T>,
    target: ObjectKey & { readonly subresource?: string },
    patch: unknown,
    type: PatchType,
    options: WriteOptions = {},
  ): Promise<T> {
    const path = objectPath(kind, await this.#resolve(kind, options), target);
    return this.#write(kind, options, { method: 'PATCH', path, body: JSON.stringify(patch) }, PATCH_TYPES[type]);
  }

  async #write<T extends KubernetesObject>(
    kind: Kind<T>,
    options: WriteOptions = {},
    request: Pick<TransportRequest, 'method' | 'path' | 'body'>,
    contentType = JSON_TYPE,
  ): Promise<T> {
    const { fieldManager, dryRun, fieldValidation } = options;
    const object = await this.#call(options, {
      ...request,
      path: request.path + queryText({ fieldManager, dryRun: dryRun ? 'All' : undefined, fieldValidation }),
      headers: { accept: acceptOf(kind, 'PartialObjectMetadata'), 'content-type': contentType },
    });
    return ofKind(kind, object as T);
  }

  /** One discovery serves all who wait for it; who gives up leaves it to the others. */
  #resolve(kind: Kind<KubernetesObject>, { signal }: Pick<CallOptions, 'signal'>): Promise<RestMapping> {
    const mapping = this.#restMapper.resolve(kind);
    return signal ? orAborted(mapping, signal) : mapping;
  }

  async #call({ signal, timeout }: CallOptions, request: TransportRequest): Promise<unknown> {
    const response = await this.#transport.send({
      ...request,
      ...(signal && { signal }),
      ...(timeout !== undefined && { timeout }),
    });
    return readJson(response);
  }
}

function isObjectEvent<T extends KubernetesObject>(
  event: WatchEvent<T>,
): event is Extract<typeof event, { object: T }> {
  return event.type !== 'ERROR' && event.type !== 'BOOKMARK';
}

/** Read-only for the type checker alone, which cannot relate a type parameter to its read-only form by itself. */
function readonly<T>(value: T): DeepReadonly<T> {
  return value as DeepReadonly<T>;
}
