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
import { fieldCutOf } from './field-transforms.ts';
import { InformerCache } from './informer-cache.ts';
import type { MakeInformer } from './informer-set.ts';
import { MultiNamespaceInformer } from './multi-namespace-informer.ts';
import type { PackedEvent } from '../store/packed-event.ts';
import { SharedInformer } from './shared-informer.ts';
import { transformedListerWatcher } from './transformed-lister-watcher.ts';

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

  const makeInformer: MakeInformer = <T extends KubernetesObject>(
    kind: Kind<T>,
    scopes: readonly WatchScope[],
    onEvent: (event: PackedEvent<T>) => void,
  ): CacheInformer<T> => {
    const { transform, dropManagedFields = true, compress = false, decoded } = optionsOfKind(options, kind);
    const cut = transform && fieldCutOf(transform);
    const store = { kind, freeze, dropManagedFields, compress, cut, ...(decoded && { decoded }) };
    const informers = scopes.map((scope): [string, SharedInformer<T>] => {
      const { namespace = '', shard } = scope;
      const plain = clientListerWatcher(client, kind, scope, wakers);
      const listerWatcher =
        transform && !cut ? transformedListerWatcher(plain, { kind, transform, dropManagedFields }) : plain;
      const log = logger.child({ kind: kindText(kind), ...(namespace && { namespace }) });
      const surroundings = { listSlots, clock, random, logger: log, onEvent };
      return [namespace, new SharedInformer({ listerWatcher, store, shard, ...surroundings })];
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
