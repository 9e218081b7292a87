import type { Cluster, ClusterConfig, Informer, KubernetesObject, ReconcileRequest } from '@mcr/core';
import {
  createCluster,
  enqueueRequestForObject,
  kindSource,
  requestType,
  silentLogger,
  systemClock,
  WorkQueue,
} from '@mcr/core';
import type { SampleKind } from '../samples/sample-kind.ts';
import type { SampleName } from '../samples/sample.ts';
import { samples } from '../samples/sample.ts';

export interface CachedSampleOptions {
  readonly config: ClusterConfig;
  readonly sample: SampleName;
  /** Receiver of the events: a handler that counts them, or the source and workqueue of a controller. */
  readonly through: 'handler' | 'queue';
  /** Adds an index by a function to each kind. Default: none. */
  readonly index?: boolean;
  /** Compresses the objects. Default: false. */
  readonly compress?: boolean;
}

const INDEX = 'bench';

/** A cluster whose cache holds a sample. Counts the events of its objects. */
export class CachedSample implements AsyncDisposable {
  readonly cluster: Cluster;
  readonly kinds: readonly SampleKind[];
  readonly #end = new AbortController();
  readonly #running: Promise<void>;
  readonly #queue = new WorkQueue<ReconcileRequest>({ requestType });
  #handled = 0;
  #expected = Infinity;
  #reached = Promise.withResolvers<void>();
  #informers: readonly Informer<KubernetesObject>[] = [];

  constructor({ config, sample, compress = false }: CachedSampleOptions) {
    this.cluster = createCluster(config, { cache: { compress } });
    this.kinds = samples[sample];
    this.#running = this.cluster.run(this.#end.signal);
  }

  /** Starts to list and watch. Does not wait for objects. */
  async start({ through, index = false }: Pick<CachedSampleOptions, 'through' | 'index'>): Promise<void> {
    if (through === 'queue') void this.#processQueue();
    for (const sampleKind of this.kinds) {
      if (index) await this.cluster.fieldIndexer.indexField(sampleKind.kind, INDEX, sampleKind.indexed);
      if (through === 'queue') await this.#enqueueEvents(sampleKind);
      else await this.#countEvents(sampleKind);
    }
    this.#informers = await Promise.all(this.kinds.map(({ kind }) => this.cluster.cache.informer(kind)));
  }

  /** Number of cached objects. */
  get size(): number {
    return this.#informers.reduce((sum, { store }) => sum + store.size, 0);
  }

  /** Returns the informer of the kind with this position in the sample. */
  informer(position: number): Informer<KubernetesObject> {
    const informer = this.#informers[position];
    if (!informer) throw new RangeError(`no kind ${position}`);
    return informer;
  }

  /** Resolves when `count` events have been handled since the start, and the queue is empty. */
  async untilHandled(count: number): Promise<void> {
    this.#expected = count;
    this.#reached = Promise.withResolvers();
    this.#check();
    await this.#reached.promise;
    if (this.#handled !== count) throw new Error(`expected ${count} events, handled ${this.#handled}`);
  }

  async #countEvents({ kind }: SampleKind): Promise<void> {
    const count = () => {
      this.#handled += 1;
      this.#check();
    };
    const informer = await this.cluster.cache.informer(kind);
    informer.addHandler({ onAdd: count, onUpdate: count, onDelete: count });
  }

  async #enqueueEvents({ kind }: SampleKind): Promise<void> {
    const enqueue = enqueueRequestForObject();
    const source = kindSource(kind, (event, context) => {
      this.#handled += 1;
      return enqueue(event, context);
    });
    await source.start({
      queue: this.#queue,
      signal: this.#end.signal,
      log: silentLogger,
      clock: systemClock,
      clusterName: 'bench',
      cluster: this.cluster,
    });
  }

  async #processQueue(): Promise<void> {
    for (;;) {
      let item = this.#queue.tryGet();
      if (!item) {
        this.#check();
        item = await this.#queue.get();
      }
      if (!item) return;
      this.#queue.done(item);
    }
  }

  #check(): void {
    if (this.#handled >= this.#expected && this.#queue.length === 0) this.#reached.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#queue.shutDown();
    this.#end.abort();
    await this.#running;
  }
}
