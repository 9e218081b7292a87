import { z } from 'zod';
import type { Client } from '../client/client.ts';
import type { Clock } from '../clock/clock.ts';
import type { Kind } from '../kinds/kind.ts';
import { kindText } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import type { Logger } from '../log/logger.ts';
import { labelSelectorSchema } from '../kinds/names.ts';
import { positiveMilliseconds } from '../options/duration.ts';
import { parseOptions } from '../options/parse-options.ts';
import type { Recovery } from '../health/recovery-probe.ts';
import type { RestMapper } from '../discovery/rest-mapper.ts';
import type { ListSlots } from '../reflector/list-slots.ts';
import type { CacheScope } from './cache-scope.ts';

/**
 * What is cached, and what of it. The scope is that of reads, and of informers that are asked for without one; the rest
 * is for every informer.
 */
export interface CachedObjectsOptions<T extends KubernetesObject> extends CacheScope {
  /**
   * What an object becomes before it is cached, for example {@link keepFields}. It may change the object in place, and
   * must keep `metadata.name`, `namespace`, `uid` and `resourceVersion`. While it throws, the kind does not sync, or
   * goes stale. (Upstream: controller-runtime's `cache.Options.DefaultTransform`.)
   */
  transform?(this: void, object: T): T;
  /** Leaves `metadata.managedFields` out, which is often half of an object. Default: true. */
  readonly dropManagedFields?: boolean;
}

/** What it leaves out is as for all kinds. (Upstream: controller-runtime's `cache.ByObject`.) */
export interface KindCacheOptions<T extends KubernetesObject = KubernetesObject> extends CachedObjectsOptions<T> {
  /** One that is not metadata-only gives its scope to the same kind read as metadata only. */
  readonly kind: Kind<T>;
}

/** @param signal the read's own, if it has one. */
export type ReadWaitObserver = (
  wait: (signal: AbortSignal | undefined) => Promise<void>,
  signal: AbortSignal | undefined,
) => Promise<void>;

/**
 * Namespaces apply to namespaced kinds. A kind without a `scope` counts as namespaced: reads of a cluster-scoped one
 * fail, and the error asks for `scope: 'Cluster'`.
 */
export interface CacheOptions extends CachedObjectsOptions<KubernetesObject> {
  /** Lists and watches. */
  readonly client: Client;
  /** Names the cluster in errors. */
  readonly clusterName?: string;
  /** What is otherwise for some kinds. */
  readonly byKind?: readonly KindCacheOptions[];
  /**
   * Freezes cached objects, so that code that changes one fails; in an object of more than 25,000 values, the outermost
   * only. Default: unless `NODE_ENV` is `production`.
   */
  readonly freeze?: boolean;
  /** How long a read waits for its kind to sync unless the call says otherwise, in milliseconds. Default: 30,000. */
  readonly syncTimeout?: number;
  /**
   * Runs the wait of a read that its informer cannot answer yet, and may reject before it does or abort the wait by its
   * signal. Reads that need no wait are not passed to it. Default: waits.
   */
  readonly observeWait?: ReadWaitObserver;
  /** Limits how many kinds are listed at once. Share one among the caches of a process. Default: its own, of 8. */
  readonly listSlots?: ListSlots;
  /**
   * Ends the backoff of lists and watches as soon as the API server answers again. Default: none, so they wait up to 30
   * s.
   */
  readonly recovery?: Recovery;
  /** Forgets a kind whose CustomResourceDefinition has changed. Default: none. */
  readonly restMapper?: Pick<RestMapper, 'forget'>;
  /** Default: the machine's own. */
  readonly clock?: Clock;
  /** Default: logs nothing. */
  readonly logger?: Logger;
  /** Numbers in [0, 1), for jitter. Default: `Math.random`. */
  readonly random?: () => number;
}

const selectors = { labelSelector: labelSelectorSchema.optional(), fieldSelector: z.string().optional() };

const namespaces = z
  .union([z.array(z.string()), z.record(z.string(), z.strictObject(selectors))])
  .transform((given) => (Array.isArray(given) ? given : Object.keys(given)))
  .refine((names) => names.length > 0, 'expected a namespace at least')
  .refine((names) => names.length === 1 || !names.includes(''), `'' is all namespaces, and stands alone`);

const cachedObjects = {
  namespaces: namespaces.optional(),
  ...selectors,
  transform: z.custom((value) => typeof value === 'function', 'expected a function of an object').optional(),
  dropManagedFields: z.boolean().optional(),
};

const kindSchema = z.custom<Kind<KubernetesObject>>(
  (value) => typeof (Object(value) as { apiVersion?: unknown }).apiVersion === 'string',
  'expected a Kind from defineKind',
);

const schema = z.strictObject({
  client: z.unknown(),
  clusterName: z.string().optional(),
  ...cachedObjects,
  byKind: z
    .array(
      z
        .strictObject({ kind: kindSchema, ...cachedObjects })
        .refine(({ kind, namespaces }) => namespaces === undefined || kind.scope !== 'Cluster', {
          path: ['namespaces'],
          error: 'a cluster-scoped kind has none',
        }),
    )
    .refine((kinds) => new Set(kinds.map(({ kind }) => kindText(kind))).size === kinds.length, 'a kind is there twice')
    .optional(),
  freeze: z.boolean().optional(),
  syncTimeout: positiveMilliseconds.optional(),
  observeWait: z.unknown().optional(),
  listSlots: z.unknown().optional(),
  recovery: z.unknown().optional(),
  restMapper: z.unknown().optional(),
  clock: z.unknown().optional(),
  logger: z.unknown().optional(),
  random: z.unknown().optional(),
});

/** @throws {TypeError} that names the option, when one is unknown or wrong. */
export function checkCacheOptions(options: CacheOptions): void {
  parseOptions('createCache', schema, options, '{ client }');
}

/** What the options say of one kind. */
export function optionsOfKind<T extends KubernetesObject>(
  { byKind = [], ...all }: CacheOptions,
  kind: Kind<T>,
): CachedObjectsOptions<T> {
  const sameKind = byKind.find((options) => kindText(options.kind) === kindText(kind));
  const whole =
    kind.metadataOnly &&
    byKind.find(({ kind: other }) => kindText({ ...other, metadataOnly: true }) === kindText(kind));
  // A transform of whole objects would miss most of them.
  const { transform: _, ...scopeOfWhole } = whole ?? {};
  const own: Partial<CachedObjectsOptions<KubernetesObject>> = sameKind ?? scopeOfWhole;
  const namespaces = own.namespaces ?? (kind.scope === 'Cluster' ? undefined : all.namespaces);
  const labelSelector = own.labelSelector ?? all.labelSelector;
  const fieldSelector = own.fieldSelector ?? all.fieldSelector;
  const transform = own.transform ?? all.transform;
  return {
    ...(namespaces && { namespaces }),
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
    // Of this kind's objects, as its options are found by the kind.
    ...(transform && { transform: transform as unknown as (object: T) => T }),
    dropManagedFields: own.dropManagedFields ?? all.dropManagedFields ?? true,
  };
}
