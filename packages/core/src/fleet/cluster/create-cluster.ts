import type { Client, ClusterConfig, Transport } from '@mcr/client';
import {
  createCache,
  createClient,
  createEventBroadcaster,
  createRestMapper,
  createTransport,
  logWarnings,
  checkHealth,
  delegatingTransport,
  dryRunClient,
  printable,
  RecoveryProbe,
  serverVersion,
  silentLogger,
  systemClock,
  parseOptions,
} from '@mcr/client';
import type { Home } from '../../objects/owner/home.ts';
import { openHome } from '../../objects/owner/home.ts';
import { homeClient } from '../../objects/owner/home-client.ts';
import { clusterClient } from './client-options.ts';
import type { Cluster } from './cluster.ts';
import type { ClusterOptions } from './cluster-options.ts';
import { ownOptionsSchema } from './cluster-options.ts';
import { callFence, outsideReconcile } from '../fence/current-fence.ts';
import { fencedTransport } from '../fence/fenced-transport.ts';
import type { WriteFence } from '../fence/write-fence.ts';
import { CircuitBreaker } from '../isolation/circuit-breaker.ts';
import { observedRestMapper, observedTransport, observedWait } from '../isolation/observed-transport.ts';
import { LOCAL_CLUSTER } from '../multicluster/cluster-name.ts';
import { refuseInMemory } from './in-memory-config.ts';
import { ObservableInfo } from './observable-info.ts';
import { ping, waitForVersion } from './readiness.ts';
import { WriteHealth } from './write-health.ts';

/** Interval between version checks of a server that was never unreachable, in milliseconds. */
const VERSION_PERIOD = 600_000;

/**
 * Creates a cluster from `config`. It opens no connections before it is used or run.
 * (Upstream: controller-runtime's `cluster.New`.)
 *
 * @throws {TypeError} if `config` or an option is invalid, or an option is unknown; the message names it.
 */
export function createCluster(config: ClusterConfig, options: ClusterOptions = {}): Cluster {
  return assembleCluster(config, options).cluster;
}

export interface AssembledCluster {
  readonly cluster: Cluster;
  /**
   * Reads from and writes to the API server, independent of the options of `cluster.client`, and without a fence. Closed
   * with the cluster.
   */
  readonly apiClient: Client;
}

/** Like {@link createCluster}, for code with its own writes, such as those of a Lease. */
export function assembleCluster(config: ClusterConfig, options: ClusterOptions): AssembledCluster {
  parseOptions('createCluster', ownOptionsSchema, options, '{ name: "eu-1" }');
  refuseInMemory(config);
  const { name, logger = silentLogger, clock = systemClock, tracer, metrics, limits } = options;
  const transport = createTransport(config, { logger, clock, ...(limits && { limits }), ...(metrics && { metrics }) });
  const recovery = new RecoveryProbe({ check: (call) => checkHealth(transport, { ...call, clock }), clock });
  const restMapper = createRestMapper(transport, { clock });
  const breaker = new CircuitBreaker({
    clusterName: name ?? LOCAL_CLUSTER,
    clock,
    recovery,
    ping: async (timeout) => transport.ping?.(timeout) ?? 'unknown',
  });
  const clientOptions = {
    logger,
    onWarning: logWarnings(logger),
    ...(limits && { limits }),
    ...(tracer && { tracer, clusterName: name ?? '' }),
  };
  const writeHealth = new WriteHealth(clock);
  const newApiClient = (observed: Transport) =>
    createClient(config, {
      ...clientOptions,
      transport: observedTransport(observed, breaker),
      restMapper: observedRestMapper(restMapper, breaker),
    });
  /** Set by {@link Cluster.setFence}. */
  let ownFence: (() => WriteFence | undefined) | undefined;
  const fenceOf = () => callFence() ?? ownFence?.();
  const observed = writeHealth.observe(fencedTransport(transport, fenceOf, { requestTimeout: config.requestTimeout }));
  const ownerClient = newApiClient(observed);
  // Work that a reconcile starts without waiting for it does not count as the reconcile's.
  const background = delegatingTransport(observed, async (request) =>
    ownFence ? outsideReconcile(() => observed.send(request)) : observed.send(request),
  );
  const backgroundClient = createClient(config, { ...clientOptions, transport: background, restMapper });
  const events = createEventBroadcaster({
    client: options.dryRun ? dryRunClient(backgroundClient) : backgroundClient,
    clock,
    logger,
  });
  const cache = createCache({
    ...options.cache,
    client: backgroundClient,
    observeWait: observedWait(breaker),
    recovery,
    restMapper,
    clock,
    logger,
    ...(options.listSlots && { listSlots: options.listSlots }),
    ...(name && { clusterName: name }),
  });

  let currentConfig = printable(config);
  const info = new ObservableInfo(options.info);
  let started = false;
  const subject = name ? `cluster ${JSON.stringify(name)}` : 'the local cluster';
  const { host } = new URL(config.server);
  const home: Home = {
    subject,
    server: () => currentConfig.server,
    peek: ({ apiVersion, kind, metadata }) => cache.peek?.({ apiVersion, kind }, metadata) ?? [],
  };
  const homely = homeClient(ownerClient, home);
  const client = clusterClient(homely, cache, options);
  /** Time of the last version check. */
  let versionCheckedAt = -Infinity;

  const cluster: Cluster = {
    ...(name === undefined ? {} : { name }),
    get config() {
      return currentConfig;
    },
    get info() {
      return info.value;
    },
    client,
    apiReader: homely,
    cache,
    fieldIndexer: cache,
    restMapper,
    breaker,
    eventRecorder: (component) => events.recorder(component),

    async ready(signal, { onFailure } = {}) {
      const version = await waitForVersion(
        { transport, clock, subject, host, ...(onFailure && { onFailure }) },
        signal,
      );
      info.setVersion(version);
      versionCheckedAt = clock.now();
    },

    async ping(call) {
      const start = clock.now();
      const deadline = start + call.timeout;
      try {
        await ping({ transport, clock, subject, host, writeHealth }, call);
        breaker.healthChecked(clock.now() - start);
      } catch (error) {
        // It may be upgraded when it returns.
        versionCheckedAt = -Infinity;
        throw error;
      }
      if (clock.now() - versionCheckedAt < VERSION_PERIOD) return;
      versionCheckedAt = clock.now();
      const timeout = Math.max(1, Math.ceil(deadline - clock.now()));
      const version = await serverVersion(transport, { ...call, timeout, retry: 'never' }).catch(() => undefined);
      if (version) info.setVersion(version.gitVersion);
    },

    recovered: (signal) => recovery.recovered(signal),

    setFence: (next) => void (ownFence = next),

    describe: (description) => info.describe(description),
    onDescribed: (listener) => info.onDescribed(listener),

    async rotate(next) {
      // Set before the rotation completes, so that a comparison in the same turn sees the latest configuration.
      const former = currentConfig;
      currentConfig = printable(next);
      try {
        await transport.rotate(next);
      } catch (error) {
        currentConfig = former;
        throw error;
      }
    },

    async run(signal) {
      if (started)
        throw new TypeError(
          `${subject} is running or has stopped, and a cluster runs once: create another one with createCluster`,
        );
      started = true;
      const close = openHome(home);
      try {
        await cache.run(signal);
      } finally {
        close();
        breaker.close();
        await events.close();
        await transport.close();
      }
    },
  };
  let apiClient: Client | undefined;
  return {
    cluster,
    get apiClient() {
      return (apiClient ??= newApiClient(writeHealth.observe(transport)));
    },
  };
}
