import type { ElementLimit } from '../json/sliced-document.ts';
import { kindText, partialMetadata, type Kind } from '../kinds/kind.ts';
import type {
  ApplyConfiguration,
  DeepReadonly,
  Draft,
  KubernetesList,
  KubernetesObject,
  ObjectKey,
} from '../kinds/object.ts';
import type { RestMapper } from '../discovery/rest-mapper.ts';
import type { Table } from '../kinds/table.ts';
import type { Transport, TransportResponse } from '../transport/transport.ts';
import { readEvents, type WatchLimits } from '../watch/read-events.ts';
import { readPackedEvents } from '../watch/read-packed-events.ts';
import type { PackedBatch } from '../packed/packed-batch.ts';
import type { WatchEvent } from '../packed/watch-event.ts';
import { ApiCalls } from './api-calls.ts';
import { isNotFound } from '../response/api-error.ts';
import { checkCallOptions, checkWatchOptions } from './call-arguments.ts';
import type {
  ApplyOptions,
  Client,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  PatchType,
  StatusWriter,
  SubresourceClient,
  TableOptions,
  WatchOptions,
  WriteOptions,
} from './client.ts';
import type { PackedReader } from './packed-reader.ts';
import { readPackedList } from './read-packed-list.ts';
import { checkShardInfo } from '../shards/shard-mismatch-error.ts';
import { ShardSelection } from '../shards/shard-selection.ts';
import { responseLimits, type ResponseLimits } from '../transport/response-limits.ts';
import { checkJson, readSliced } from '../response/response-body.ts';
import { statusOf } from '../response/status.ts';
import { statusWriter, subresourceClient } from './subresource-client.ts';
import {
  acceptOf,
  applyBodyOf,
  bodyOf,
  deleteBodyOf,
  itemChecker,
  JSON_TYPE,
  keyOf,
  listOf,
  listQuery,
  objectOf,
  ofKind,
  queryText,
  patchBodyOf,
  rowChecker,
  TABLE_TYPE,
  tableOf,
} from './wire-format.ts';

/** Sends each read and each write as one request. */
export class HttpClient implements Client {
  readonly #transport: Transport;
  readonly status: StatusWriter;
  readonly packed: PackedReader;
  readonly #calls: ApiCalls;
  readonly #limits: Required<ResponseLimits>;
  readonly #maxElement: ElementLimit;

  constructor(transport: Transport, restMapper: RestMapper, limits?: ResponseLimits) {
    this.#transport = transport;
    this.#limits = responseLimits('createClient', limits);
    this.#maxElement = { bytes: this.#limits.object, option: 'limits.object' };
    this.#calls = new ApiCalls(transport, restMapper);
    this.status = statusWriter(this.#calls);
    this.packed = {
      list: (kind, options) => this.#packedList(kind, options),
      watch: (kind, options) => readPackedEvents(() => this.#sendWatch(kind, options), this.#watchLimits(options)),
    };
  }

  async get<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    options: GetOptions = {},
  ): Promise<DeepReadonly<T>> {
    checkCallOptions('get', kind, options);
    const path = await this.#calls.path(kind, key, options);
    const subject = `get of ${kindText(kind)}`;
    const object = await this.#calls.call(subject, options, {
      method: 'GET',
      path: path + queryText({ resourceVersion: options.resourceVersion }),
      headers: { accept: acceptOf(kind, 'PartialObjectMetadata') },
    });
    return readonly(objectOf(kind, subject, object));
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
    const response = await this.#sendList(kind, options);
    const subject = `list of ${kindText(kind)}`;
    const answer = await readSliced(response, subject, {
      array: 'items',
      maxElement: this.#maxElement,
      onElements: itemChecker(kind, subject),
      onContinue: options.onContinue,
    });
    const list = listOf<T>(subject, answer);
    const shard = shardOf(options);
    if (shard?.text !== undefined) {
      checkShardInfo(list.metadata, shard.text);
      list.items = list.items.filter(({ metadata }) => shard.selects(metadata));
    }
    return readonly(list);
  }

  async table<T extends KubernetesObject>(kind: Kind<T>, options: TableOptions = {}): Promise<DeepReadonly<Table<T>>> {
    checkCallOptions('table', kind, options);
    const path = await this.#calls.path(kind, { collection: true, namespace: options.namespace }, options);
    const response = await this.#calls.send(options, {
      method: 'GET',
      path: path + queryText({ ...listQuery(options), includeObject: options.includeObject }),
      headers: { accept: TABLE_TYPE },
      purpose: 'list',
      total: options.total,
    });
    const subject = `table of ${kindText(kind)}`;
    const answer = await readSliced(response, subject, {
      array: 'rows',
      maxElement: this.#maxElement,
      onElements: rowChecker(subject),
    });
    return readonly(tableOf<T>(subject, answer));
  }

  async create<T extends KubernetesObject>(
    kind: Kind<T>,
    object: DeepReadonly<Draft<T>>,
    options?: WriteOptions,
  ): Promise<T> {
    const target = {
      collection: true as const,
      namespace: keyOf(kind, object).namespace,
      namespaceMissing: 'metadata.namespace is missing: set the namespace to create the object in',
    };
    return this.#calls.write({ method: 'POST', kind, target, body: bodyOf(kind, object), responseKind: kind }, options);
  }

  async update<T extends KubernetesObject>(
    kind: Kind<T>,
    object: DeepReadonly<Draft<T>>,
    options?: WriteOptions,
  ): Promise<T> {
    const target = keyOf(kind, object);
    const body = bodyOf(kind, object);
    return this.#calls.write({ method: 'PUT', kind, target, body, responseKind: kind }, options);
  }

  async patch<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    patch: unknown,
    patchType: PatchType,
    options?: WriteOptions,
  ): Promise<T> {
    const body = patchBodyOf(kind, patch);
    return this.#calls.write({ method: 'PATCH', kind, target: key, body, patchType, responseKind: kind }, options);
  }

  async apply<T extends KubernetesObject>(
    kind: Kind<T>,
    configuration: DeepReadonly<ApplyConfiguration<T>>,
    options?: ApplyOptions,
  ): Promise<T> {
    const target = keyOf(kind, configuration);
    const body = applyBodyOf(kind, configuration, options);
    return this.#calls.write({ method: 'PATCH', kind, target, body, patchType: 'apply', responseKind: kind }, options);
  }

  async delete<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey, options: DeleteOptions = {}): Promise<void> {
    checkCallOptions('delete', kind, options);
    await this.#calls.call(`delete of ${kindText(kind)}`, options, {
      method: 'DELETE',
      path: await this.#calls.path(kind, key, options),
      headers: { accept: JSON_TYPE, 'content-type': JSON_TYPE },
      body: deleteBodyOf(options),
    });
  }

  async deleteCollection<T extends KubernetesObject>(
    kind: Kind<T>,
    options: DeleteCollectionOptions = {},
  ): Promise<void> {
    checkCallOptions('deleteCollection', kind, options);
    const { namespace, labelSelector, fieldSelector } = options;
    const namespaceMissing = 'options.namespace is missing: set the namespace to delete from';
    const path = await this.#calls.path(kind, { collection: true, namespace, namespaceMissing }, options);
    const response = await this.#calls.send(options, {
      method: 'DELETE',
      path: path + queryText({ labelSelector, fieldSelector }),
      // The response lists the deleted objects. Asks for their metadata only, if the server supports that.
      headers: {
        accept: `${acceptOf(partialMetadata(kind), 'PartialObjectMetadataList')},${JSON_TYPE}`,
        'content-type': JSON_TYPE,
      },
      body: deleteBodyOf(options),
      purpose: 'list',
    });
    const subject = `delete of all ${kindText(kind)}`;
    // Parsed only to check that it is complete; the result is dropped.
    await readSliced(response, subject, { array: 'items', maxElement: this.#maxElement });
  }

  subresource<Body extends KubernetesObject>(name: string, body: Kind<Body>): SubresourceClient<Body> {
    return subresourceClient(this.#calls, name, body);
  }

  onCredentials(listener: () => void): () => void {
    return this.#transport.onCredentials(listener);
  }

  async *watch<T extends KubernetesObject>(
    kind: Kind<T>,
    options: WatchOptions,
  ): AsyncGenerator<WatchEvent<T>, void, undefined> {
    const response = await this.#sendWatch(kind, options);
    const shard = shardOf(options);
    for await (const events of readEvents<T>(response.body, this.#watchLimits(options))) {
      for (const event of events) {
        if (event.type === 'ERROR') event.object = response.withoutCredentials(statusOf(event.object));
        else if (event.type !== 'BOOKMARK') {
          if (shard && !shard.selects(event.object.metadata)) continue;
          if (kind.metadataOnly) ofKind(kind, event.object);
        }
        yield event;
      }
    }
  }

  async *#packedList(
    kind: Kind<KubernetesObject>,
    options: ListOptions,
  ): AsyncGenerator<PackedBatch, KubernetesList<unknown>['metadata'], undefined> {
    const response = await this.#sendList(kind, options);
    const { onContinue } = options;
    return yield* readPackedList(response, `list of ${kindText(kind)}`, { maxItem: this.#limits.object, onContinue });
  }

  async #sendList(kind: Kind<KubernetesObject>, options: ListOptions): Promise<TransportResponse> {
    checkCallOptions('list', kind, options);
    if (options.index) {
      throw new TypeError(
        `list of ${kindText(kind)}: option "index": an API server has no indexes: read from a cache, or select by labels or fields`,
      );
    }
    const path = await this.#calls.path(kind, { collection: true, namespace: options.namespace }, options);
    return this.#calls.send(options, {
      method: 'GET',
      path: path + queryText({ ...listQuery(options), shardSelector: shardOf(options)?.text }),
      headers: { accept: acceptOf(kind, 'PartialObjectMetadataList') },
      purpose: 'list',
      total: options.total,
    });
  }

  /** @throws {ApiError} if the server refuses the watch, or its response is not JSON. */
  async #sendWatch(kind: Kind<KubernetesObject>, options: WatchOptions): Promise<TransportResponse> {
    checkWatchOptions(kind, options);
    const path = await this.#calls.path(kind, { collection: true, namespace: options.namespace }, options);
    const query = queryText({
      watch: true,
      allowWatchBookmarks: options.allowWatchBookmarks ?? true,
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
      shardSelector: shardOf(options)?.text,
      resourceVersion: options.resourceVersion,
      sendInitialEvents: options.sendInitialEvents,
      resourceVersionMatch: options.sendInitialEvents === undefined ? undefined : 'NotOlderThan',
      timeoutSeconds: options.timeoutSeconds,
    });
    const response = await this.#calls.send(options, {
      method: 'GET',
      path: path + query,
      headers: { accept: acceptOf(kind, 'PartialObjectMetadata') },
      streaming: true,
    });
    await checkJson(response, `watch of ${kindText(kind)}`);
    return response;
  }

  #watchLimits({ total, sendInitialEvents }: WatchOptions): WatchLimits {
    const { object: maxLine, list: maxTotal } = this.#limits;
    return { maxLine, maxTotal, total, sendInitialEvents };
  }
}

function shardOf({ shardSelector }: Pick<ListOptions, 'shardSelector'>): ShardSelection | undefined {
  return shardSelector && new ShardSelection(shardSelector);
}

/** Casts to the read-only type, because the compiler cannot relate a type parameter to its read-only form. */
function readonly<T>(value: T): DeepReadonly<T> {
  return value as DeepReadonly<T>;
}
