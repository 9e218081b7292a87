import { systemClock } from '../clock/clock.ts';
import type { Kind } from '../kinds/kind.ts';
import { kindText } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { silentLogger } from '../log/logger.ts';
import type { WatchScope } from '../reflector/client-lister-watcher.ts';
import { clientListerWatcher } from '../reflector/client-lister-watcher.ts';
import { CrdWatch } from '../reflector/crd-watch.ts';
import { ListSlots } from '../reflector/list-slots.ts';
import type { CacheInformer } from './cache-informer.ts';
import type { CacheOptions, ReadWaitObserver } from './cache-options.ts';
import { checkCacheOptions, optionsOfKind } from './cache-options.ts';
import type { Cache } from './cache.ts';
import { deepFreeze } from '../json/deep-freeze.ts';
import { InformerCache } from './informer-cache.ts';
import { MultiNamespaceInformer } from './multi-namespace-informer.ts';
import { SharedInformer } from './shared-informer.ts';
import { checkedTransform, transformedListerWatcher } from './transformed-lister-watcher.ts';

/**
 * Creates a cache whose informers list and watch with `client`. (Upstream: controller-runtime's `cache.New`.)
 *
 * @throws {TypeError} that names the option, if one is unknown or wrong.
 */
export function createCache(options: CacheOptions): Cache {
  checkCacheOptions(options);
  const {
    client,
    clusterName,
    freeze = process.env['NODE_ENV'] !== 'production',
    syncTimeout = 30_000,
    observeWait = waitUnobserved,
    clock = systemClock,
    listSlots = new ListSlots({ clock }),
    logger = silentLogger,
    random = Math.random,
    recovery,
    restMapper,
  } = options;
  const wakers = { recovery, crdWatch: new CrdWatch({ client, restMapper }) };

  const transformOf = <T extends KubernetesObject>(kind: Kind<T>): ((object: T) => T) => {
    const { transform, dropManagedFields } = optionsOfKind(options, kind);
    const own = transform && checkedTransform(kind, transform);
    return (object) => {
      if (dropManagedFields) removeManagedFields(object);
      const transformed = own ? own(object) : object;
      return freeze ? deepFreeze(transformed) : transformed;
    };
  };

  const makeInformer = <T extends KubernetesObject>(kind: Kind<T>, scopes: readonly WatchScope[]): CacheInformer<T> => {
    const transform = transformOf(kind);
    const informers = scopes.map((scope): [string, SharedInformer<T>] => {
      const { namespace = '' } = scope;
      const listerWatcher = transformedListerWatcher(clientListerWatcher(client, kind, scope, wakers), transform);
      const log = logger.child({ kind: kindText(kind), ...(namespace && { namespace }) });
      return [namespace, new SharedInformer({ listerWatcher, listSlots, clock, random, logger: log })];
    });
    const [[, informer] = [], ...others] = informers;
    return informer && others.length === 0 ? informer : new MultiNamespaceInformer(new Map(informers));
  };

  return new InformerCache({
    makeInformer,
    subject: clusterName ? `the cache of cluster ${JSON.stringify(clusterName)}` : 'the cache',
    scopeOf: (kind) => optionsOfKind(options, kind),
    syncTimeout,
    observeWait,
    clock,
    logger,
  });
}

const waitUnobserved: ReadWaitObserver = (wait, signal) => wait(signal);

/** Copies the metadata without `managedFields`: `delete` would turn it into a dictionary, which needs more memory. */
function removeManagedFields(object: KubernetesObject): void {
  if (object.metadata.managedFields === undefined) return;
  const { managedFields: _, ...metadata } = object.metadata;
  object.metadata = metadata;
}
