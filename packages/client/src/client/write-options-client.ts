import type { ApplyOptions, Client, DeleteCollectionOptions, DeleteOptions, WriteOptions } from './client.ts';
import { delegatingClient } from './delegating-client.ts';

/**
 * Returns a client whose writes and deletions are dry runs: the server processes them without storing the result.
 * Options of a call cannot override this. (Upstream: controller-runtime's `client.NewDryRunClient`.)
 */
export function dryRunClient(client: Client): Client {
  const dryRun = { dryRun: true } as const;
  return {
    ...clientWriting(client, (options) => ({ ...options, ...dryRun })),
    delete: (kind, key, options?: DeleteOptions) => client.delete(kind, key, { ...options, ...dryRun }),
    deleteCollection: (kind, options?: DeleteCollectionOptions) =>
      client.deleteCollection(kind, { ...options, ...dryRun }),
  };
}

/**
 * Returns a client whose writes, including applies, use `fieldManager` unless a call names another one. (Upstream:
 * controller-runtime's `client.WithFieldOwner`.)
 */
export function withFieldManager(client: Client, fieldManager: string): Client {
  return clientWriting(client, (options) => ({ fieldManager, ...options }));
}

/**
 * Returns a client whose writes use `fieldValidation` unless a call sets its own. (Upstream: controller-runtime's
 * `client.WithFieldValidation`.)
 */
export function withFieldValidation(
  client: Client,
  fieldValidation: NonNullable<WriteOptions['fieldValidation']>,
): Client {
  return clientWriting(client, (options) => ({ fieldValidation, ...options }));
}

/** Returns a client that passes the options of its writes through `change`. */
function clientWriting(client: Client, change: (options: ApplyOptions | undefined) => ApplyOptions): Client {
  return {
    ...delegatingClient(client),
    packed: client.packed,
    create: (kind, object, options) => client.create(kind, object, change(options)),
    update: (kind, object, options) => client.update(kind, object, change(options)),
    patch: (kind, key, patch, type, options) => client.patch(kind, key, patch, type, change(options)),
    apply: (kind, configuration, options) => client.apply(kind, configuration, change(options)),
    status: {
      update: (kind, object, options) => client.status.update(kind, object, change(options)),
      patch: (kind, key, patch, type, options) => client.status.patch(kind, key, patch, type, change(options)),
      apply: (kind, configuration, options) => client.status.apply(kind, configuration, change(options)),
    },
    subresource(name, body) {
      const subresource = client.subresource(name, body);
      return {
        get: (kind, key, options) => subresource.get(kind, key, options),
        create: (kind, key, object, options) => subresource.create(kind, key, object, change(options)),
        update: (kind, key, object, options) => subresource.update(kind, key, object, change(options)),
        patch: (kind, key, patch, type, options) => subresource.patch(kind, key, patch, type, change(options)),
        apply: (kind, key, configuration, options) => subresource.apply(kind, key, configuration, change(options)),
      };
    },
  };
}
