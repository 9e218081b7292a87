import { z } from 'zod';
import type { Client } from '../client/client.ts';
import type { Clock } from '../clock/clock.ts';
import { systemClock } from '../clock/clock.ts';
import type { Kind } from '../kinds/kind.ts';
import { kindText } from '../kinds/kind.ts';
import type { DeepReadonly, KubernetesObject } from '../kinds/object.ts';
import type { Logger } from '../log/logger.ts';
import { silentLogger } from '../log/logger.ts';
import { clientListerWatcher } from '../reflector/client-lister-watcher.ts';
import { ListSlots } from '../reflector/list-slots.ts';
import type { Cache, InformerScope } from './cache.ts';
import { deepFreeze } from './freeze.ts';
import type { CacheInformer } from './informer-cache.ts';
import { InformerCache } from './informer-cache.ts';
import { MultiNamespaceInformer } from './multi-namespace-informer.ts';
import { SharedInformer } from './shared-informer.ts';

export interface CacheOptions {
  /** Lists and watches. */
  readonly client: Client;
  /** Names the cluster in errors. */
  readonly clusterName?: string;
  /**
   * What reads of namespaced kinds see, and informers that are asked for without a scope. A cluster-scoped kind is
   * known by its `scope`. Default: all namespaces.
   */
  readonly namespaces?: readonly string[];
  /** Leaves `metadata.managedFields` out, which is often half of an object. Default: true. */
  readonly dropManagedFields?: boolean;
  /** Freezes cached objects, so that code that changes one fails. Default: unless `NODE_ENV` is `production`. */
  readonly freeze?: boolean;
  /** How long a read waits for its kind to sync unless the call says otherwise, in milliseconds. Default: 30,000. */
  readonly syncTimeout?: number;
  /** Limits how many kinds are listed at once. Share one among the caches of a process. Default: its own, of 8. */
  readonly listSlots?: ListSlots;
  /** Default: the machine's own. */
  readonly clock?: Clock;
  /** Default: logs nothing. */
  readonly logger?: Logger;
  /** Numbers in [0, 1), for jitter. Default: `Math.random`. */
  readonly random?: () => number;
}

const optionsSchema = z.strictObject({
  client: z.unknown(),
  clusterName: z.string().optional(),
  namespaces: z.array(z.string().min(1)).min(1).optional(),
  dropManagedFields: z.boolean().optional(),
  freeze: z.boolean().optional(),
  syncTimeout: z.number().positive().optional(),
  listSlots: z.unknown().optional(),
  clock: z.unknown().optional(),
  logger: z.unknown().optional(),
  random: z.unknown().optional(),
});

/**
 * A cache whose informers list and watch with `client`. (Upstream: controller-runtime's `cache.New`.)
 *
 * @throws {TypeError} that names the option, when one is unknown or wrong.
 */
export function createCache(options: CacheOptions): Cache {
  const { error } = optionsSchema.safeParse(options);
  if (error) throw new TypeError(`createCache: ${z.prettifyError(error)}`);
  const {
    client,
    clusterName,
    namespaces,
    dropManagedFields = true,
    freeze = process.env['NODE_ENV'] !== 'production',
    syncTimeout = 30_000,
    clock = systemClock,
    listSlots = new ListSlots({ clock }),
    logger = silentLogger,
    random = Math.random,
  } = options;

  const transform = <T extends KubernetesObject>(object: T): DeepReadonly<T> => {
    if (dropManagedFields) leaveOutManagedFields(object);
    return (freeze ? deepFreeze(object) : object) as DeepReadonly<T>;
  };

  const makeInformer = <T extends KubernetesObject>(
    kind: Kind<T>,
    { namespaces, ...selectors }: InformerScope,
  ): CacheInformer<T> => {
    const inNamespace = (namespace?: string): SharedInformer<T> =>
      new SharedInformer({
        listerWatcher: clientListerWatcher(client, kind, { ...selectors, ...(namespace && { namespace }) }),
        transform,
        listSlots,
        clock,
        random,
        logger: logger.child({ kind: kindText(kind), ...(namespace && { namespace }) }),
      });
    if (!namespaces || namespaces.length === 0) return inNamespace();
    if (namespaces.length === 1) return inNamespace(namespaces[0]);
    return new MultiNamespaceInformer(new Map(namespaces.map((namespace) => [namespace, inNamespace(namespace)])));
  };

  return new InformerCache({
    makeInformer,
    subject: clusterName ? `the cache of cluster ${JSON.stringify(clusterName)}` : 'the cache',
    namespaces,
    syncTimeout,
    clock,
    logger,
  });
}

/** Copies the metadata because `delete` would make a dictionary of it, which takes more memory than the fields did. */
function leaveOutManagedFields(object: KubernetesObject): void {
  if (object.metadata.managedFields === undefined) return;
  const { managedFields: _, ...metadata } = object.metadata;
  object.metadata = metadata;
}
