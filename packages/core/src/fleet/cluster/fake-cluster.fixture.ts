import type {
  Cache,
  Client,
  ClusterConfig,
  EventRecorder,
  FieldIndexer,
  Reader,
  Recovered,
  RestMapper,
} from '@mcr/client';
import type { WriteFence } from '../fence/write-fence.ts';
import type { Cluster, ClusterDescription, ClusterInfo } from './cluster.ts';
import type { CircuitBreaker } from '../isolation/circuit-breaker.ts';
import { ObservableInfo } from './observable-info.ts';

interface FakeClusterOptions extends Pick<ClusterInfo, 'origin'> {
  readonly server?: string;
  readonly token?: string;
  readonly uid?: string;
}

/** A cluster without connections, controlled by the test. */
export class FakeCluster implements Cluster {
  config: ClusterConfig;
  readonly client: Client;
  readonly apiReader: Reader;
  readonly cache: Cache;
  readonly fieldIndexer: FieldIndexer;
  readonly restMapper = {} as RestMapper;
  readonly breaker?: CircuitBreaker;
  /** Names of its indexes. */
  readonly indexes: string[] = [];
  /** Number of rotations. */
  rotations = 0;
  /** Number of health checks. */
  pings = 0;
  /** Error of every health check, if set. */
  silence: Error | undefined;
  state: 'new' | 'running' | 'stopped' = 'new';
  /** See {@link Cluster.setFence}. */
  fenceOf: (() => WriteFence | undefined) | undefined;
  readonly #info: ObservableInfo;
  readonly #answer = Promise.withResolvers<void>();
  readonly #end = Promise.withResolvers<void>();

  /**
   * @param options.server the endpoint. Default: `https://a`.
   * @param options.uid UID of its `kube-system` namespace. Default: the server.
   * @param options.origin see {@link ClusterInfo.origin}.
   */
  constructor(options: FakeClusterOptions = {}) {
    const { server = 'https://a', token = '1', uid = server, origin } = options;
    this.#info = new ObservableInfo(origin && { origin });
    this.config = { server, auth: { type: 'token', token } };
    this.fieldIndexer = {
      indexField: async (_kind, name) => void this.indexes.push(name),
    };
    // Code that manages clusters uses nothing else of the client and the cache.
    this.apiReader = { get: async () => ({ metadata: { uid } }) } as unknown as Reader;
    this.client = {} as Client;
    this.cache = {} as Cache;
  }

  /** Recorded events. */
  readonly events: Parameters<EventRecorder['event']>[] = [];

  eventRecorder(): EventRecorder {
    return { event: (...event) => void this.events.push(event) };
  }

  /** Creates a cluster that is ready. */
  static ready(options?: FakeClusterOptions): FakeCluster {
    const cluster = new FakeCluster(options);
    cluster.answer();
    return cluster;
  }

  /** Makes it ready. */
  answer(): void {
    this.#answer.resolve();
  }

  /** Makes `run` reject with `error`. */
  fail(error: Error): void {
    this.#end.reject(error);
  }

  async ready(signal: AbortSignal): Promise<void> {
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    signal.throwIfAborted();
    await Promise.race([this.#answer.promise, aborted]);
  }

  async ping(_call?: Parameters<Cluster['ping']>[0]): Promise<void> {
    this.pings += 1;
    if (this.silence) throw this.silence;
  }

  /** Resolves at once, also if {@link silence} is set. */
  async recovered(): Promise<Recovered> {
    return { outage: 0 };
  }

  get info(): ClusterInfo {
    return this.#info.value;
  }

  setFence(fenceOf: () => WriteFence | undefined): void {
    this.fenceOf = fenceOf;
  }

  describe(description: ClusterDescription): void {
    this.#info.describe(description);
  }

  onDescribed(listener: () => void): () => void {
    return this.#info.onDescribed(listener);
  }

  async rotate(config: ClusterConfig): Promise<void> {
    this.rotations += 1;
    this.config = config;
  }

  async run(signal: AbortSignal): Promise<void> {
    this.state = 'running';
    if (signal.aborted) this.#end.resolve();
    signal.addEventListener('abort', () => this.#end.resolve(), { once: true });
    try {
      await this.#end.promise;
    } finally {
      this.state = 'stopped';
    }
  }
}
