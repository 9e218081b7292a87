import { checkKind } from '../kinds/check-kind.ts';
import { kindText, type Kind } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import type { Client } from './client.ts';
import { delegatingClient } from './delegating-client.ts';

/**
 * Returns a client for one namespace: it uses the namespace for calls that name none, and refuses calls that name
 * another one. Calls with cluster-scoped kinds pass unchanged. A kind without a `scope` counts as namespaced, so calls
 * with a cluster-scoped kind fail before they are sent: define the kind with `scope: 'Cluster'`. (Upstream:
 * controller-runtime's `client.NewNamespacedClient`.)
 *
 * @throws {TypeError} if `namespace` is empty. Each call that names another namespace rejects with one too.
 */
export function namespacedClient(client: Client, namespace: string): Client {
  if (namespace === '') throw new TypeError('namespacedClient: namespace is empty: pass the name of a namespace');

  /** Returns `place` with the namespace. Returns a value that is not an object as is, because `client` refuses it. */
  const within = <P extends Placed>(kind: Kind<KubernetesObject>, place: P): P => {
    checkKind('client call', kind);
    if (kind.scope === 'Cluster' || Object(place) !== place) return place;
    const { namespace: given = '' } = place;
    if (given !== '' && given !== namespace) {
      throw new TypeError(
        `${kindText(kind)} in namespace ${JSON.stringify(given)}: this client is limited to namespace ${JSON.stringify(namespace)}`,
      );
    }
    return { ...place, namespace };
  };
  /** Returns a draft or an apply configuration with the namespace. */
  const placed = <D>(kind: Kind<KubernetesObject>, draft: D): D => {
    if (Object(draft) !== draft) return draft;
    const { metadata } = draft as { readonly metadata: Placed };
    return { ...draft, metadata: within(kind, metadata) };
  };

  const { status, packed } = client;
  return {
    ...delegatingClient(client),
    get: async (kind, key, options) => client.get(kind, within(kind, key), options),
    find: async (kind, key, options) => client.find(kind, within(kind, key), options),
    list: async (kind, options = {}) => client.list(kind, within(kind, options)),
    table: async (kind, options = {}) => client.table(kind, within(kind, options)),
    create: async (kind, object, options) => client.create(kind, placed(kind, object), options),
    update: async (kind, object, options) => client.update(kind, placed(kind, object), options),
    patch: async (kind, key, patch, type, options) => client.patch(kind, within(kind, key), patch, type, options),
    apply: async (kind, configuration, options) => client.apply(kind, placed(kind, configuration), options),
    delete: async (kind, key, options) => client.delete(kind, within(kind, key), options),
    deleteCollection: async (kind, options = {}) => client.deleteCollection(kind, within(kind, options)),
    status: {
      update: async (kind, object, options) => status.update(kind, placed(kind, object), options),
      patch: async (kind, key, patch, type, options) => status.patch(kind, within(kind, key), patch, type, options),
      apply: async (kind, configuration, options) => status.apply(kind, placed(kind, configuration), options),
    },
    subresource(name, body) {
      const subresource = client.subresource(name, body);

      return {
        get: async (kind, key, options) => subresource.get(kind, within(kind, key), options),
        create: async (kind, key, object, options) => subresource.create(kind, within(kind, key), object, options),
        update: async (kind, key, object, options) => subresource.update(kind, within(kind, key), object, options),
        patch: async (kind, key, patch, type, options) =>
          subresource.patch(kind, within(kind, key), patch, type, options),
        apply: async (kind, key, configuration, options) =>
          subresource.apply(kind, within(kind, key), configuration, options),
      };
    },
    watch: (kind, options) => client.watch(kind, within(kind, options)),
    packed: packed && {
      list: (kind, options) => packed.list(kind, within(kind, options)),
      watch: (kind, options) => packed.watch(kind, within(kind, options)),
    },
  };
}

interface Placed {
  readonly namespace?: string;
}
