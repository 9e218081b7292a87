import type {
  ApplyConfiguration,
  ApplyOptions,
  Client,
  DeepReadonly,
  DeleteCollectionOptions,
  DeleteOptions,
  Draft,
  Kind,
  KubernetesObject,
  ObjectKey,
  PatchType,
  StatusWriter,
  SubresourceClient,
  Table,
  TableOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '@mcr/core';
import { untilAborted } from '@mcr/core/provider';
import { NamespaceReader } from './namespace-reader.ts';
import { innerOf, type NamespaceView } from './namespace-view.ts';

/** The client of a namespace cluster: rewrites requests and responses. */
export class NamespaceClient extends NamespaceReader implements Client {
  readonly status: StatusWriter;
  readonly #client: Client;

  constructor(client: Client, view: NamespaceView) {
    super(client, view);
    this.#client = client;
    this.status = {
      update: (kind, object, options) =>
        this.#write(kind, object, (outer) => this.#client.status.update(kind, outer, options)),
      patch: (kind, key, patch, type, options) =>
        this.#patch(kind, key, patch, (outer, body) => this.#client.status.patch(kind, outer, body, type, options)),
      apply: (kind, configuration, options) =>
        this.#write(kind, configuration, (outer) => this.#client.status.apply(kind, outer, options)),
    };
  }

  create<T extends KubernetesObject>(
    kind: Kind<T>,
    object: DeepReadonly<Draft<T>>,
    options?: WriteOptions,
  ): Promise<T> {
    return this.#write(kind, object, (outer) => this.#client.create(kind, outer, options));
  }

  update<T extends KubernetesObject>(
    kind: Kind<T>,
    object: DeepReadonly<Draft<T>>,
    options?: WriteOptions,
  ): Promise<T> {
    return this.#write(kind, object, (outer) => this.#client.update(kind, outer, options));
  }

  patch<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    patch: unknown,
    type: PatchType,
    options?: WriteOptions,
  ): Promise<T> {
    return this.#patch(kind, key, patch, (outer, body) => this.#client.patch(kind, outer, body, type, options));
  }

  apply<T extends KubernetesObject>(
    kind: Kind<T>,
    configuration: DeepReadonly<ApplyConfiguration<T>>,
    options?: ApplyOptions,
  ): Promise<T> {
    return this.#write(kind, configuration, (outer) => this.#client.apply(kind, outer, options));
  }

  async delete<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey, options?: DeleteOptions): Promise<void> {
    await this.#client.delete(kind, await this.view.keyToWrite(kind, key), options);
  }

  async deleteCollection<T extends KubernetesObject>(
    kind: Kind<T>,
    options: DeleteCollectionOptions = {},
  ): Promise<void> {
    await this.view.keyToWrite(kind, options);
    const outer = await this.view.scopeToRead(kind, options);
    // Without a namespace, the client reports the missing field.
    if (outer) await this.#client.deleteCollection(kind, options.namespace ? outer : options);
  }

  subresource<Body extends KubernetesObject>(name: string, body: Kind<Body>): SubresourceClient<Body> {
    const subresource = this.#client.subresource(name, body);
    return {
      get: async (kind, key, options) => {
        const outer = await this.view.keyToRead(kind, key);
        if (!outer) throw this.view.notFound(kind, key);
        return innerOf(this.view, await subresource.get(kind, outer, options));
      },
      create: (kind, key, object, options) =>
        this.#writeBody(kind, key, object, (outer, sent) => subresource.create(kind, outer, sent, options)),
      update: (kind, key, object, options) =>
        this.#writeBody(kind, key, object, (outer, sent) => subresource.update(kind, outer, sent, options)),
      apply: (kind, key, configuration, options) =>
        this.#writeBody(kind, key, configuration, (outer, sent) => subresource.apply(kind, outer, sent, options)),
      patch: (kind, key, patch, type, options) =>
        this.#patch(kind, key, patch, (outer, sent) => subresource.patch(kind, outer, sent, type, options)),
    };
  }

  async table<T extends KubernetesObject>(kind: Kind<T>, options: TableOptions = {}): Promise<DeepReadonly<Table<T>>> {
    const outer = await this.view.scopeToRead(kind, options);
    // There is no empty table, because the API server determines the columns.
    if (!outer) throw this.view.notFound(kind, { name: '' });
    const table = await this.#client.table(kind, outer);
    const rows = table.rows.map((row) =>
      row.object ? { ...row, object: innerOf<KubernetesObject>(this.view, row.object) } : row,
    );
    return { ...table, rows };
  }

  async *watch<T extends KubernetesObject>(
    kind: Kind<T>,
    options: WatchOptions,
  ): AsyncGenerator<WatchEvent<T>, void, undefined> {
    const outer = await this.view.scopeToRead(kind, options);
    if (!outer) {
      await untilAborted(options.signal);
      return;
    }
    for await (const event of this.#client.watch(kind, outer)) {
      const isChange = event.type !== 'ERROR' && event.type !== 'BOOKMARK';
      yield isChange ? { ...event, object: this.view.inner(event.object) } : event;
    }
  }

  onCredentials(listener: () => void): () => void {
    return this.#client.onCredentials(listener);
  }

  async #write<T extends KubernetesObject, Sent extends DeepReadonly<Draft<T>> | DeepReadonly<ApplyConfiguration<T>>>(
    kind: Kind<T>,
    object: Sent,
    send: (outer: Sent) => Promise<T>,
  ): Promise<T> {
    await this.view.checkWritable(kind);
    return this.view.inner(await send(this.#outer(kind, object)));
  }

  async #writeBody<Body extends KubernetesObject, Sent>(
    kind: Kind<KubernetesObject>,
    key: ObjectKey,
    body: Sent,
    send: (key: ObjectKey, body: Sent) => Promise<Body>,
  ): Promise<Body> {
    const outer = await this.view.keyToWrite(kind, key);
    return this.view.inner(await send(outer, this.#outer(kind, body)));
  }

  async #patch<T extends KubernetesObject>(
    kind: Kind<KubernetesObject>,
    key: ObjectKey,
    patch: unknown,
    send: (key: ObjectKey, patch: unknown) => Promise<T>,
  ): Promise<T> {
    const outer = await this.view.keyToWrite(kind, key);
    return this.view.inner(await send(outer, this.view.outerPatch(kind, patch)));
  }

  /** All written objects have metadata, which generic types hide. */
  #outer<Sent>(kind: Kind<KubernetesObject>, object: Sent): Sent {
    return this.view.outer(kind, object as Sent & { readonly metadata: { readonly namespace?: string } });
  }
}
