import * as z from 'zod';
import type { Client } from '../client/client.ts';
import type { Clock } from '../clock/clock.ts';
import { kindSchema } from '../kinds/check-kind.ts';
import type { Kind } from '../kinds/kind.ts';
import { kindText } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import type { Logger } from '../log/logger.ts';
import { labelSelectorSchema } from '../kinds/names.ts';
import { anyValue } from '../options/any-value.ts';
import { positiveMilliseconds } from '../options/duration.ts';
import { parseOptions } from '../options/parse-options.ts';
import type { Recovery } from '../health/recovery-probe.ts';
import type { RestMapper } from '../discovery/rest-mapper.ts';
import type { ListSlots } from '../reflector/list-slots.ts';
import { shardSchema } from '../shards/shard.ts';
import type { CacheScope } from './cache-scope.ts';

/**
 * Objects to cache, and their form. The scope applies to reads, and is the default for informers. The other options
 * apply to every informer.
 */
export interface CachedObjectsOptions<T extends KubernetesObject> extends CacheScope {
  /**
   * Transforms an object before it is cached, for example {@link keepFields}. It may change the object in place. It
   * must keep `metadata.name`, `namespace`, `uid` and `resourceVersion`. The cache keeps the result as JSON: fields that
   * are `undefined` are omitted, and other values that JSON cannot represent are errors. After an error
   * (`CacheTransformError`), the kind does not sync or becomes stale, and the informer retries. An `update` with an
   * object from the cache removes the missing fields on the server: use `patch` or `apply`. (Upstream:
   * controller-runtime's `cache.Options.DefaultTransform`.)
   */
  readonly transform?: (this: void, object: T) => T;
  /** Removes `metadata.managedFields`, which is often half of an object. Default: true. */
  readonly dropManagedFields?: boolean;
  /**
   * Compresses cached objects with zstd. They take a fraction of the memory, and the first read of an object takes
   * longer. Where Node.js has no zstd, they stay plain. Default: false.
   */
  readonly compress?: boolean;
}

/**
 * Options of one kind. Omitted options use the values for all kinds. (Upstream: controller-runtime's `cache.ByObject`.)
 */
export interface KindCacheOptions<T extends KubernetesObject = KubernetesObject> extends CachedObjectsOptions<T> {
  /** The kind. Unless it is metadata-only, its scope also applies to metadata-only reads of the kind. */
  readonly kind: Kind<T>;
  /**
   * With `all`, keeps every object of the kind in memory after it was decoded, for a controller that lists all objects
   * again and again. Default: keeps recently read objects, within a budget for all caches of the process.
   */
  readonly decoded?: 'all';
}

/** Runs the wait of a read. @param signal the signal of the read, if it has one. */
export type ReadWaitObserver = (
  wait: (signal: AbortSignal | undefined) => Promise<void>,
  signal: AbortSignal | undefined,
) => Promise<void>;

/**
 * Options of {@link createCache}. Namespaces apply to namespaced kinds. A kind without a `scope` counts as namespaced:
 * reads of a cluster-scoped one fail, and the error asks for `scope: 'Cluster'`.
 */
export interface CacheOptions extends CachedObjectsOptions<KubernetesObject> {
  /** Lists and watches objects. */
  readonly client: Client;
  /** Name of the cluster in errors. */
  readonly clusterName?: string;
  /** Options of single kinds. Use {@link cacheKind} for a `transform` that reads fields of the kind. */
  readonly byKind?: readonly KindCacheOptions[];
  /**
   * Freezes cached objects, so that code that changes one throws. In an object of more than 25,000 values, freezes only
   * the outermost values. Default: true unless `NODE_ENV` is `production`.
   */
  readonly freeze?: boolean;
  /** Default timeout of a read that waits for its kind to sync, in milliseconds. Default: 30,000. */
  readonly syncTimeout?: number;
  /**
   * Runs the wait of a read that its informer cannot answer yet. May reject early, or abort the wait with its own
   * signal. Not called for reads that need not wait. Default: waits.
   */
  readonly observeWait?: ReadWaitObserver;
  /**
   * Limits concurrent lists. Share one instance between the caches of a process. Default: a new one with 8 slots.
   */
  readonly listSlots?: ListSlots;
  /**
   * Ends the backoff of lists and watches as soon as the API server responds again. Default: none, so a backoff can
   * last up to 30 s.
   */
  readonly recovery?: Recovery;
  /** Forgets a kind when its CustomResourceDefinition changes. Default: none. */
  readonly restMapper?: Pick<RestMapper, 'forget'>;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Logger of the cache. Default: nothing is logged. */
  readonly logger?: Logger;
  /** Returns numbers in [0, 1), for jitter. Default: `Math.random`. */
  readonly random?: () => number;
}

const selectors = { labelSelector: labelSelectorSchema.optional(), fieldSelector: z.string().optional() };

const namespaces = z
  .union([z.array(z.string()), z.record(z.string(), z.strictObject(selectors))])
  .transform((given) => (Array.isArray(given) ? given : Object.keys(given)))
  .refine((names) => names.length > 0, 'expected at least one namespace')
  .refine((names) => names.length === 1 || !names.includes(''), `'' means all namespaces: remove the others`);

const cachedObjects = {
  namespaces: namespaces.optional(),
  ...selectors,
  shard: shardSchema.optional(),
  transform: z.custom((value) => typeof value === 'function', 'expected a function of an object').optional(),
  dropManagedFields: z.boolean().optional(),
  compress: z.boolean().optional(),
};

/** Validates the options that do not depend on the cluster of a cache. */
export const cacheOptionsSchema = z.strictObject({
  ...cachedObjects,
  byKind: z
    .array(
      z
        .strictObject({ kind: kindSchema, decoded: z.literal('all').optional(), ...cachedObjects })
        .refine(({ kind, namespaces }) => namespaces === undefined || kind.scope !== 'Cluster', {
          path: ['namespaces'],
          error: 'expected none for a cluster-scoped kind',
        }),
    )
    .refine(
      (kinds) => new Set(kinds.map(({ kind }) => kindText(kind))).size === kinds.length,
      'each kind may appear only once',
    )
    .optional(),
  freeze: z.boolean().optional(),
  syncTimeout: positiveMilliseconds.optional(),
  random: anyValue,
});

const schema = cacheOptionsSchema.extend({
  client: z.custom((value) => typeof value === 'object' && value !== null, 'expected a client of createClient'),
  clusterName: z.string().optional(),
  observeWait: anyValue,
  listSlots: anyValue,
  recovery: anyValue,
  restMapper: anyValue,
  clock: anyValue,
  logger: anyValue,
} satisfies Record<Exclude<keyof CacheOptions, keyof typeof cacheOptionsSchema.shape>, z.ZodType>);

/** @throws {TypeError} that names the option, if one is unknown or wrong. */
export function checkCacheOptions(options: CacheOptions): void {
  parseOptions('createCache', schema, options, '{ client }');
}

/** Returns the options of one kind. */
export function optionsOfKind<T extends KubernetesObject>(
  { byKind = [], ...all }: CacheOptions,
  kind: Kind<T>,
): Omit<KindCacheOptions<T>, 'kind'> {
  const sameKind = byKind.find((options) => kindText(options.kind) === kindText(kind));
  const whole =
    kind.metadataOnly &&
    byKind.find(({ kind: other }) => kindText({ ...other, metadataOnly: true }) === kindText(kind));
  // A transform for whole objects cannot handle metadata-only ones.
  const { transform: _, ...scopeOfWhole } = whole ?? {};
  const own: Partial<CachedObjectsOptions<KubernetesObject>> = sameKind ?? scopeOfWhole;
  const namespaces = own.namespaces ?? (kind.scope === 'Cluster' ? undefined : all.namespaces);
  const labelSelector = own.labelSelector ?? all.labelSelector;
  const fieldSelector = own.fieldSelector ?? all.fieldSelector;
  const shard = own.shard ?? all.shard;
  const transform = own.transform ?? all.transform;
  return {
    ...(namespaces && { namespaces }),
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
    ...(shard && { shard }),
    // The options were found by this kind, so the transform takes its objects.
    ...(transform && { transform: transform as unknown as (object: T) => T }),
    dropManagedFields: own.dropManagedFields ?? all.dropManagedFields ?? true,
    compress: own.compress ?? all.compress ?? false,
    ...(sameKind?.decoded && { decoded: sameKind.decoded }),
  };
}
