import type { ApplyOptions, Client, DeleteCollectionOptions, DeleteOptions, WriteOptions } from './client.ts';
import { delegatingClient } from './delegating-client.ts';

/**
 * A client whose writes change nothing: the server does all but store the outcome, deletions too. No call can undo it.
 * (Upstream: controller-runtime's `client.NewDryRunClient`.)
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
 * A client whose writes, applies among them, are those of `fieldManager`, where a call names no other.
 * (Upstream: controller-runtime's `client.WithFieldOwner`.)
 */
export function withFieldManager(client: Client, fieldManager: string): Client {
  return clientWriting(client, (options) => ({ fieldManager, ...options }));
}

/**
 * A client whose writes are checked for unknown and repeated fields so, where a call does not say how.
 * (Upstream: controller-runtime's `client.WithFieldValidation`.)
 */
export function withFieldValidation(
  client: Client,
  fieldValidation: NonNullable<WriteOptions['fieldValidation']>,
): Client {
  return clientWriting(client, (options) => ({ fieldValidation, ...options }));
}

/** A client that writes with what `change` makes of the options. */
function clientWriting(client: Client, change: (options: ApplyOptions | undefined) => ApplyOptions): Client {
  return {
    ...delegatingClient(client),
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
