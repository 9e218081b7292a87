import type {
  ApplyConfiguration,
  ApplyOptions,
  Client,
  DeepReadonly,
  DeleteCollectionOptions,
  DeleteOptions,
  Draft,
  FieldIndexer,
  GetOptions,
  IndexExtractor,
  Kind,
  KubernetesList,
  KubernetesObject,
  ListOptions,
  ObjectKey,
  PatchType,
  RestMapper,
  StatusWriter,
  SubresourceClient,
  Table,
  TableOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '@mcr/client';
import { createClient, parseOptions } from '@mcr/client';
import { deepFreeze } from '@mcr/client/testing';
import * as z from 'zod';
import { IN_MEMORY_CONFIG } from '../fleet/cluster/in-memory-config.ts';
import { fencedTransport } from '../fleet/fence/fenced-transport.ts';
import type { WriteFence } from '../fleet/fence/write-fence.ts';
import type { InitialObject, InMemoryServerOptions } from './in-memory-server.ts';
import { InMemoryServer } from './in-memory-server.ts';
import { ListIndexes } from './list-indexes.ts';

/** Options of an {@link InMemoryClient}. */
export interface InMemoryClientOptions extends InMemoryServerOptions {
  /**
   * The initial objects, each with its `apiVersion`, `kind` and optional status. They keep `uid`, `generation`, times and
   * finalizers of their metadata, and may be incomplete: only the types of their fields are checked, and writes may leave
   * them incomplete. Default: none.
   */
  readonly objects?: readonly InitialObject[];
  /** Called for each write. A closed fence refuses it. Default: no write is refused. */
  readonly fenceOf?: () => WriteFence | undefined;
  /** Name of the class in errors of options. Default: `InMemoryClient`. */
  readonly owner?: string;
}

const anything = z.unknown().optional();
const schema = z.strictObject({
  objects: anything,
  crds: anything,
  crdPaths: anything,
  fenceOf: anything,
  owner: anything,
} satisfies Record<keyof InMemoryClientOptions, z.ZodType>);

/**
 * A client with an API server in memory, for unit tests of reconcilers. The server is that of `@mcr/apiserver`, which must
 * be installed: it applies, patches, validates, selects, watches and reports errors as an API server does, without a
 * connection, and is created at the first call.
 *
 * It differs from a new cluster in this: there are no objects except the initial ones, namespaces and owners need not
 * exist, and a kind without a definition accepts all fields. Lists support indexes, and reads return frozen objects, as a
 * cache does.
 * (Upstream: controller-runtime's `client/fake`.)
 *
 * @example
 * const client = new InMemoryClient({ objects: [cart], crdPaths: ['config/crd/bases'] });
 */
export class InMemoryClient implements Client, FieldIndexer {
  readonly status: StatusWriter;
  /** Maps kinds, and defines those that nothing else defines. */
  readonly restMapper: RestMapper;
  readonly #server: InMemoryServer;
  readonly #client: Client;
  readonly #indexes = new ListIndexes();

  /**
   * @throws {TypeError} if an option is unknown. Calls throw an `Error` that names the initial object or definition that
   * is not valid.
   */
  constructor(options: InMemoryClientOptions = {}) {
    parseOptions('InMemoryClient', schema, options, '{ objects: [...] }');
    const { objects = [], fenceOf, owner = 'InMemoryClient', ...serverOptions } = options;
    const server = new InMemoryServer(objects, serverOptions, owner);
    const transport = fenceOf ? fencedTransport(server.transport, fenceOf) : server.transport;
    const client = createClient(IN_MEMORY_CONFIG, { transport, restMapper: server.restMapper });
    const place = (kind: Kind<KubernetesObject>, key: unknown) => this.#place(kind, key);
    this.#server = server;
    this.#client = client;
    this.restMapper = server.restMapper;
    this.status = {
      update: async (kind, object, options) => {
        await place(kind, metadataOf(object));
        return client.status.update(kind, object, options);
      },
      patch: async (kind, key, patch, type, options) => {
        await place(kind, key);
        return client.status.patch(kind, key, patch, type, options);
      },
      apply: async (kind, configuration, options) => {
        await place(kind, metadataOf(configuration));
        return client.status.apply(kind, configuration, options);
      },
    };
  }

  /** Lists and watches for caches. */
  get packed(): Client['packed'] {
    return this.#client.packed;
  }

  async get<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey, options?: GetOptions): Promise<DeepReadonly<T>> {
    await this.#place(kind, key);
    return deepFreeze(await this.#client.get(kind, key, options));
  }

  async find<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    options?: GetOptions,
  ): Promise<DeepReadonly<T> | undefined> {
    await this.#place(kind, key);
    const object = await this.#client.find(kind, key, options);
    return object && deepFreeze(object);
  }

  async list<T extends KubernetesObject>(
    kind: Kind<T>,
    options: ListOptions = {},
  ): Promise<DeepReadonly<KubernetesList<T>>> {
    return deepFreeze(await this.#indexes.list(this.#client, kind, options));
  }

  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    this.#indexes.add(kind, name, extract);
  }

  table<T extends KubernetesObject>(kind: Kind<T>, options?: TableOptions): Promise<DeepReadonly<Table<T>>> {
    return this.#client.table(kind, options);
  }

  watch<T extends KubernetesObject>(kind: Kind<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>> {
    return this.#client.watch(kind, options);
  }

  async create<T extends KubernetesObject>(
    kind: Kind<T>,
    object: DeepReadonly<Draft<T>>,
    options?: WriteOptions,
  ): Promise<T> {
    await this.#place(kind, metadataOf(object));
    return this.#client.create(kind, object, options);
  }

  async update<T extends KubernetesObject>(
    kind: Kind<T>,
    object: DeepReadonly<Draft<T>>,
    options?: WriteOptions,
  ): Promise<T> {
    await this.#place(kind, metadataOf(object));
    return this.#client.update(kind, object, options);
  }

  async patch<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    patch: unknown,
    type: PatchType,
    options?: WriteOptions,
  ): Promise<T> {
    await this.#place(kind, key);
    return this.#client.patch(kind, key, patch, type, options);
  }

  async apply<T extends KubernetesObject>(
    kind: Kind<T>,
    configuration: DeepReadonly<ApplyConfiguration<T>>,
    options?: ApplyOptions,
  ): Promise<T> {
    await this.#place(kind, metadataOf(configuration));
    return this.#client.apply(kind, configuration, options);
  }

  async delete<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey, options?: DeleteOptions): Promise<void> {
    await this.#place(kind, key);
    await this.#client.delete(kind, key, options);
  }

  async deleteCollection<T extends KubernetesObject>(kind: Kind<T>, options?: DeleteCollectionOptions): Promise<void> {
    await this.#client.deleteCollection(kind, options);
  }

  subresource<Body extends KubernetesObject>(name: string, body: Kind<Body>): SubresourceClient<Body> {
    return this.#client.subresource(name, body);
  }

  /** Has no effect, because the client has no credentials. */
  onCredentials(): () => void {
    return () => undefined;
  }

  /** Tells the server the scope of a kind that declares none, by the key of one of its objects. */
  async #place(kind: unknown, key: unknown): Promise<void> {
    const { apiVersion, kind: name, scope } = Object(kind) as Partial<Kind<KubernetesObject>>;
    // The client refuses what is not a kind, or not a key.
    if (typeof apiVersion !== 'string' || typeof name !== 'string' || scope !== undefined) return;
    const { namespace } = Object(key) as { readonly namespace?: unknown };
    await this.#server.locate(kind as Kind<KubernetesObject>, namespace ? 'Namespaced' : 'Cluster');
  }
}

function metadataOf(object: unknown): unknown {
  return (Object(object) as { readonly metadata?: unknown }).metadata;
}
