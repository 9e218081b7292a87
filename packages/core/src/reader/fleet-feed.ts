import type { KubernetesObject, LazyObject } from '@mcr/client';
import { inTurns, objectKeyText } from '@mcr/client';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import { FleetObject } from './fleet-object.ts';
import type { FleetEvent } from './fleet-watch.ts';

interface Change<T extends KubernetesObject> {
  readonly event: FleetEvent<T>;
  /** Whether the reader has not seen the object since the last reset. */
  readonly isNew: boolean;
}

/** Events of one cluster that were not read yet, in the order in which they are read. */
interface Pending<T extends KubernetesObject> {
  wasReset: boolean;
  /** The latest change of each object, by its key. */
  readonly objects: Map<string, Change<T>>;
  hasSynced: boolean;
}

/**
 * The events of a watch that wait for its reader: at most one for each object. Clusters take turns, so that a busy one
 * does not delay the others.
 */
export class FleetFeed<T extends KubernetesObject> {
  readonly #clusters = new Map<ClusterName, Pending<T>>();
  /** Clusters with events that were read since the last reset. */
  readonly #known = new Set<ClusterName>();
  #hasEnded = false;
  #wake: () => void = () => undefined;

  /**
   * Adds the state of an object. It replaces an earlier state that was not read. An object that was added and deleted before
   * it was read causes no event, so that the objects that come and go take no memory.
   */
  push(change: 'added' | 'changed' | 'deleted', clusterName: ClusterName, object: LazyObject<T>): void {
    const pending = this.#pendingOf(clusterName);
    const { objects } = pending;
    const key = objectKeyText(object.key);
    const isNew = objects.get(key)?.isNew ?? change === 'added';
    if (isNew && change === 'deleted') {
      objects.delete(key);
      if (isEmpty(pending)) this.#clusters.delete(clusterName);
      return;
    }
    const type = change === 'deleted' ? 'deleted' : 'changed';
    objects.set(key, { event: { type, clusterName, object: new FleetObject(clusterName, object) }, isNew });
    this.#wake();
  }

  synced(clusterName: ClusterName): void {
    this.#pendingOf(clusterName).hasSynced = true;
    this.#wake();
  }

  /** Drops the events of a cluster, and tells the reader to forget those that it has seen. */
  reset(clusterName: ClusterName): void {
    this.#clusters.delete(clusterName);
    if (!this.#known.has(clusterName)) return;
    this.#pendingOf(clusterName).wasReset = true;
    this.#wake();
  }

  /** Ends the reader. */
  end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  /** Yields events until `signal` aborts or {@link end} is called. */
  async *read(signal: AbortSignal): AsyncGenerator<FleetEvent<T>, undefined> {
    const onAbort = () => this.end();
    if (signal.aborted) return;
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      while (!this.#hasEnded) {
        yield* inTurns(this.#takeAll());
        await this.#changed();
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Resolves when there are events, or the feed has ended. */
  async #changed(): Promise<void> {
    if (this.#clusters.size > 0 || this.#hasEnded) return;
    await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  *#takeAll(): Generator<FleetEvent<T>, undefined> {
    for (;;) {
      const next = this.#hasEnded ? undefined : this.#take();
      if (!next) return;
      yield next;
    }
  }

  /** Takes one event of the cluster whose turn it is. */
  #take(): FleetEvent<T> | undefined {
    const [next] = this.#clusters;
    if (!next) return undefined;
    const [clusterName, pending] = next;
    this.#clusters.delete(clusterName);
    const event = takeFrom(clusterName, pending);
    if (!isEmpty(pending)) this.#clusters.set(clusterName, pending);
    if (event.type === 'reset') this.#known.delete(clusterName);
    else this.#known.add(clusterName);
    return event;
  }

  #pendingOf(clusterName: ClusterName): Pending<T> {
    let pending = this.#clusters.get(clusterName);
    if (!pending) {
      pending = { wasReset: false, objects: new Map(), hasSynced: false };
      this.#clusters.set(clusterName, pending);
    }
    return pending;
  }
}

function isEmpty({ wasReset, objects, hasSynced }: Pending<KubernetesObject>): boolean {
  return !wasReset && objects.size === 0 && !hasSynced;
}

function takeFrom<T extends KubernetesObject>(clusterName: ClusterName, pending: Pending<T>): FleetEvent<T> {
  if (pending.wasReset) {
    pending.wasReset = false;
    return { type: 'reset', clusterName };
  }
  const [first] = pending.objects;
  if (first) {
    pending.objects.delete(first[0]);
    return first[1].event;
  }
  pending.hasSynced = false;
  return { type: 'synced', clusterName };
}
