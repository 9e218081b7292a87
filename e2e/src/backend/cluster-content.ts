import { createRestMapper, createTransport } from '@mcr/client';
import type { ApiClient, ClusterConfig, Kind, KubernetesObject } from '@mcr/core';
import { createClient, defineKind, isNotFound, partialMetadata } from '@mcr/core';
import { parseApiVersion } from '@mcr/core/provider';

/** One object of a cluster, of any kind. */
export interface ContentObject {
  readonly kind: Kind<KubernetesObject>;
  /** `undefined` for cluster-scoped objects. */
  readonly namespace: string | undefined;
  readonly name: string;
}

/** Objects of every kind that a cluster serves and lets clients list and delete. */
export class ClusterContent implements AsyncDisposable {
  readonly #client: ApiClient;
  readonly #kinds: readonly Kind<KubernetesObject>[];

  private constructor(client: ApiClient, kinds: readonly Kind<KubernetesObject>[]) {
    this.#client = client;
    this.#kinds = kinds;
  }

  /** Discovers the kinds. Kinds that are defined later are not part of it. */
  static async open(config: ClusterConfig): Promise<ClusterContent> {
    const client = createClient(config);
    try {
      return new ClusterContent(client, await deletableKinds(config));
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  /** @param namespace default: all objects, including cluster-scoped ones. */
  async list(namespace?: string): Promise<ContentObject[]> {
    const kinds = this.#kinds.filter(({ scope }) => namespace === undefined || scope === 'Namespaced');
    const found: ContentObject[] = [];
    for (const kind of kinds) {
      try {
        const { items } = await this.#client.list(partialMetadata(kind), {
          ...(namespace !== undefined && { namespace }),
        });
        found.push(...items.map(({ metadata }) => ({ kind, namespace: metadata.namespace, name: metadata.name })));
      } catch (error) {
        // The CustomResourceDefinition was deleted after discovery.
        if (!isNotFound(error)) throw error;
      }
    }
    return found;
  }

  /** Does nothing if the object does not exist. */
  async delete({ kind, namespace, name }: ContentObject): Promise<void> {
    try {
      await this.#client.delete(kind, { name, ...(namespace !== undefined && { namespace }) });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
  }
}

/** For example `Secret fleet/eu-1`. */
export function contentText({ kind, namespace, name }: ContentObject): string {
  return `${kind.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

async function deletableKinds(config: ClusterConfig): Promise<Kind<KubernetesObject>[]> {
  const transport = createTransport(config);
  try {
    const kinds = new Map<string, Kind<KubernetesObject>>();
    for (const { apiVersion, kind, plural, scope, verbs } of await createRestMapper(transport).resources()) {
      // Preferred versions come first; other versions show the same objects.
      const resource = `${parseApiVersion(apiVersion).group}/${plural}`;
      if (!verbs.includes('list') || !verbs.includes('delete') || kinds.has(resource)) continue;
      kinds.set(resource, defineKind({ apiVersion, kind, plural, scope }));
    }
    return [...kinds.values()];
  } finally {
    await transport.close();
  }
}
