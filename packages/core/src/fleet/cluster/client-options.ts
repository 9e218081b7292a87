import type { Cache, Client, Kind, KubernetesObject, WriteOptions } from '@mcr/client';
import {
  cachedClient,
  dryRunClient,
  kindSchema,
  readYourWrites,
  withFieldManager,
  withFieldValidation,
} from '@mcr/client';
import * as z from 'zod';

/** Options of `cluster.client`. (Upstream: controller-runtime's `client.Options`.) */
export interface ClusterClientOptions {
  /**
   * Whether reads wait until the cache contains this client's earlier writes, usually for a few milliseconds. Default:
   * false.
   */
  readonly readYourWrites?: boolean;
  /**
   * The field manager recorded in `metadata.managedFields`, at most 128 characters, unless a call names one. Server-side
   * apply needs one. Default: the name in the user agent.
   */
  readonly fieldManager?: string;
  /** How the server treats unknown and duplicate fields, unless a call sets its own. Default: `Warn`. */
  readonly fieldValidation?: NonNullable<WriteOptions['fieldValidation']>;
  /**
   * Whether every write is a dry run: the server validates it and stores nothing. Options of a call cannot override this.
   * It includes recorded events, but not the Lease of leader election. Default: false.
   */
  readonly dryRun?: boolean;
  /**
   * Kinds that are read from the API server instead of the cache, so that reads do not start informers for them. Watches
   * of these kinds still use informers. Default: none.
   */
  readonly uncached?: readonly Kind<KubernetesObject>[];
}

/** Validates each of {@link ClusterClientOptions}. */
export const clientOptionSchemas = {
  readYourWrites: z.boolean().optional(),
  fieldManager: z
    .string()
    .regex(/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,128}$/u, 'expected 1 to 128 printable characters')
    .optional(),
  fieldValidation: z.enum(['Ignore', 'Warn', 'Strict']).optional(),
  dryRun: z.boolean().optional(),
  uncached: z.array(kindSchema).optional(),
} satisfies Record<keyof ClusterClientOptions, z.ZodType>;

/** Returns the client options of `given`. */
export function clientOptionsOf(given: ClusterClientOptions): ClusterClientOptions {
  const names = Object.keys(clientOptionSchemas) as (keyof ClusterClientOptions)[];
  return Object.fromEntries(names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])));
}

/** Returns a client that reads from `cache` and writes with `apiClient`, according to the options. */
export function clusterClient(apiClient: Client, cache: Cache, options: ClusterClientOptions): Client {
  const { uncached = [], fieldManager, fieldValidation } = options;
  let client = cachedClient(apiClient, cache, { uncached });
  if (options.readYourWrites) client = readYourWrites(client, cache);
  if (fieldManager !== undefined) client = withFieldManager(client, fieldManager);
  if (fieldValidation !== undefined) client = withFieldValidation(client, fieldValidation);
  // Outermost: readYourWrites recognizes a dry run by the option of the call.
  return options.dryRun ? dryRunClient(client) : client;
}
