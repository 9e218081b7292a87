import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type IncomingMessage, get as httpGet } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import type { LogFields, Logger } from '@mcr/client';
import { silentLogger, systemClock } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import { FakeCluster } from '../fleet/cluster/fake-cluster.fixture.ts';
import { BroadcastCoordinator } from '../fleet/coordinator/broadcast-coordinator.ts';
import { parseBindAddress } from './http/bind-address.ts';
import { PrometheusMetrics } from './metrics/prometheus-metrics.ts';
import type { ManagerParts } from './multi-cluster-manager.ts';
import { MultiClusterManager } from './multi-cluster-manager.ts';

const somewhere = addressOf('127.0.0.1:0');

function addressOf(text: string) {
  const address = parseBindAddress(text);
  if (!address || address === 'nowhere') throw new Error(`${text} is not an address`);
  return address;
}

describe('the HTTP endpoints of a manager', () => {
  let clock: VirtualClock;
  let manager: MultiClusterManager;
  let end: AbortController;
  let outcome: Promise<unknown>;
  let lines: { readonly level: string; readonly message: string; readonly fields: LogFields | undefined }[];
  /** URLs by server name. */
  let urls: Map<string, string>;
  let served: PromiseWithResolvers<void>;

  beforeEach(() => {
    clock = new VirtualClock();
    end = new AbortController();
    lines = [];
    urls = new Map();
    served = Promise.withResolvers();
  });
  afterEach(async () => {
    end.abort();
    await outcome;
    expect(clock.pendingTimers).toBe(0);
  });

  const at =
    (level: string): Logger['info'] =>
    (message, fields) => {
      lines.push({ level, message, fields });
      if (message === 'server listening') urls.set(String(fields?.['server']), String(fields?.['address']));
      if (urls.size === 2) served.resolve();
    };
  const logger: Logger = {
    ...silentLogger,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  };

  async function start(parts: Partial<ManagerParts> = {}): Promise<void> {
    manager = new MultiClusterManager({
      localCluster: FakeCluster.ready(),
      coordinator: new BroadcastCoordinator(),
      logger,
      clock,
      controllerOptions: {},
      gracefulShutdownTimeout: 30_000,
      metricsAddress: somewhere,
      healthAddress: somewhere,
      metrics: await PrometheusMetrics.create({ clock, maxClusterLabels: 100 }),
      ...parts,
    });
    outcome = manager.start(end.signal).catch((error: unknown) => error);
    await Promise.race([served.promise, outcome]);
  }

  async function get(server: 'metrics' | 'health', path: string) {
    const response = await fetch(`${urls.get(server)}${path}`);
    return { status: response.status, text: await response.text(), type: response.headers.get('content-type') };
  }

  it('MG-6: answers probes as controller-runtime does', async () => {
    await start();
    expect(await get('health', '/healthz')).toMatchObject({ status: 200, text: 'ok' });
    expect((await get('health', '/healthz?verbose')).text).toBe('[+]ping ok\nhealthz check passed\n');
    expect(await get('health', '/healthz/ping')).toMatchObject({ status: 200, text: 'ok' });

    let problem: Error | undefined = new Error('the inventory is gone');
    manager.addReadyzCheck('shards', async () => undefined);
    manager.addReadyzCheck('inventory', () => {
      if (problem) throw problem;
    });
    expect(await get('health', '/readyz')).toEqual({
      status: 500,
      text: '[-]inventory failed: reason withheld\n[+]shards ok\nhealthz check failed\n',
      type: 'text/plain; charset=utf-8',
    });
    expect(await get('health', '/readyz/inventory')).toMatchObject({
      status: 500,
      text: 'internal server error: the inventory is gone\n',
    });
    expect(await get('health', '/readyz/shards')).toMatchObject({ status: 200, text: 'ok' });
    expect(await get('health', '/readyz/unheard-of')).toMatchObject({ status: 404 });
    expect((await get('health', '/readyz?verbose&exclude=inventory&exclude=unheard-of')).text).toBe(
      '[+]inventory excluded: ok\n[+]shards ok\n' +
        'warn: some health checks cannot be excluded: no matches for "unheard-of"\nhealthz check passed\n',
    );
    expect((await get('health', '/readyz')).status).toBe(500);
    problem = undefined;
    expect(await get('health', '/readyz')).toMatchObject({ status: 200, text: 'ok' });
    expect(lines.filter(({ message }) => message.startsWith('health check'))).toMatchObject([
      {
        level: 'info',
        message: 'health check has not succeeded yet',
        fields: { path: '/readyz', check: 'inventory', reason: 'the inventory is gone' },
      },
      { level: 'debug', message: 'health check has not succeeded yet' },
      { level: 'info', message: 'health check succeeded', fields: { path: '/readyz', check: 'inventory' } },
    ]);
    lines.splice(0);
    for (const next of [new Error('gone again'), new Error('still gone'), undefined]) {
      problem = next;
      await get('health', '/readyz');
    }
    expect(lines).toMatchObject([
      {
        level: 'info',
        message: 'health check failed',
        fields: { check: 'inventory', error: { message: 'gone again' } },
      },
      { level: 'debug', message: 'health check failed' },
      { level: 'info', message: 'health check succeeded again', fields: { path: '/readyz', check: 'inventory' } },
    ]);
    expect(await get('health', '/healthz')).toMatchObject({ status: 200, text: 'ok' });
  });

  it('MG-6: a check that takes longer than 5 s fails, and its signal aborts', async () => {
    await start();
    const begun = Promise.withResolvers<AbortSignal>();
    manager.addHealthzCheck('slow', (signal) => {
      begun.resolve(signal);
      return new Promise(() => undefined);
    });
    const answer = get('health', '/healthz/slow');
    const signal = await begun.promise;
    await clock.advance(5_000);
    expect(await answer).toMatchObject({ status: 500, text: 'internal server error: it took longer than 5000 ms\n' });
    expect(signal.aborted).toBe(true);
  });

  it('refuses a second check with the same name, and a name that cannot be part of a path', async () => {
    await start();
    manager.addHealthzCheck('shards', () => undefined);
    expect(() => manager.addHealthzCheck('shards', () => undefined)).toThrow('check "shards" exists already');
    expect(() => manager.addReadyzCheck('a/b', () => undefined)).toThrow('cannot be "a/b"');
  });

  it('MG-6: serves the metrics of this manager alone', async () => {
    await start();
    await clock.advance(0);
    const { text, type } = await get('metrics', '/metrics');
    expect(type).toMatch(/^text\/plain; version=0\.0\.4/u);
    expect(text).toContain('mcr_fleet_clusters{phase="Engaged"} 1\n');
    const other = await PrometheusMetrics.create({ clock: systemClock, maxClusterLabels: 1 });
    expect(await other.registry.metrics()).not.toContain('phase="Engaged"');
  });

  it('MG-6: serves the metrics of the caches of engaged clusters, and their size in the status of the fleet', async () => {
    await start();
    const sizes = { objects: 3, decodedObjects: 1, objectBytes: 5_000, compressedBytes: 0, memoryBytes: 8_192 };
    const stats = { kind: 'v1 Pod', ...sizes };
    const counts = { decodes: 7, metadataDecodes: 0, decodeHits: 0, openedBlocks: 0, compactions: 0, movedBytes: 0 };
    const cluster = FakeCluster.ready();
    Object.assign(cluster.cache, { stats: () => [{ ...stats, ...counts }] });
    await manager.engage('eu-1', cluster, end.signal);
    const { text } = await get('metrics', '/metrics');
    expect(text).toContain('mcr_cache_objects{cluster="eu-1",kind="v1 Pod"} 3\n');
    expect(text).toContain('mcr_cache_decodes_total{kind="v1 Pod"} 7\n');
    expect(JSON.parse((await get('metrics', '/fleet')).text)).toMatchObject({
      clusters: expect.arrayContaining([expect.objectContaining({ name: 'eu-1', cachedBytes: 5_000 })]),
    });
  });

  it('FL-3: serves the status of the fleet', async () => {
    await start();
    await manager.engage('eu-1', FakeCluster.ready(), end.signal);
    const { text, type } = await get('metrics', '/fleet');
    expect(type).toBe('application/json');
    expect(JSON.parse(text)).toEqual({ clusters: manager.fleet.list() });
    expect(text).toContain('"name":"eu-1","phase":"Engaged"');
  });

  it('MG-6: serves additional handlers, and survives one that fails', async () => {
    await start();
    manager.addMetricsHandler('/debug', (_, response) => void response.end('hello'));
    manager.addMetricsHandler('/broken', () => Promise.reject(new Error('oh')));
    expect(await get('metrics', '/debug')).toMatchObject({ status: 200, text: 'hello' });
    expect(await get('metrics', '/broken')).toMatchObject({ status: 500, text: 'internal server error\n' });
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        fields: { server: 'metrics', path: '/broken', error: new Error('oh') },
      }),
    );
    expect(await get('metrics', '/nothing')).toMatchObject({ status: 404 });
    expect(() => manager.addMetricsHandler('/metrics', () => undefined)).toThrow('a metrics handler for /metrics');
    expect(() => manager.addMetricsHandler('debug', () => undefined)).toThrow('a path that begins with "/"');
    const access = 'nobody' as 'everybody';
    expect(() => manager.addMetricsHandler('/debug-2', () => undefined, { access })).toThrow(
      'metrics handler for /debug-2: expected access to be "everybody"',
    );
  });

  it('S-5: refuses pages of other sites that resolve their own name to loopback', async () => {
    await start({ metricsHosts: ['fleet.example.com'] });
    const { port } = new URL(urls.get('metrics') ?? '');
    const statusFor = async (host: string) => {
      const [response] = (await once(httpGet({ port, path: '/fleet', headers: { host } }), 'response')) as [
        IncomingMessage,
      ];
      return `${response.statusCode} ${await text(response)}`;
    };
    for (const host of [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      'LOCALHOST.',
      'a.localhost',
      `[::1]:${port}`,
      '10.0.0.1',
    ])
      expect(await statusFor(host)).toMatch(/^200 /);
    expect(await statusFor(`fleet.example.com:${port}`)).toMatch(/^200 /);
    for (const host of ['attacker.example', 'localhost.attacker.example:80', 'fleet.example.com.attacker.example'])
      expect(await statusFor(host)).toBe(
        `403 host ${JSON.stringify(host)} is not expected on loopback: add it to metrics.allowedHosts\n`,
      );
  });

  it('MG-6: a taken port stops the manager with an error that names it', async () => {
    const taken = createServer();
    await once(taken.listen(0, '127.0.0.1'), 'listening');
    const { port } = taken.address() as AddressInfo;
    try {
      await start({ metricsAddress: addressOf(`127.0.0.1:${port}`) });
      expect((await outcome) as Error).toMatchObject({
        message: `metrics cannot be served on 127.0.0.1:${port}: the port is in use: choose another one with the option metrics.bindAddress`,
      });
    } finally {
      taken.close();
    }
  });

  it('S-5: warns if other machines can read metrics, but not probes, without authentication', async () => {
    await start({ metricsAddress: addressOf(':0'), healthAddress: addressOf(':0') });
    const warnings = lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
    expect(warnings).toEqual(['server is readable from other machines without authentication']);
  });

  it('MG-8: closes the connections of clients that keep them open', async () => {
    await start();
    const begun = Promise.withResolvers<void>();
    manager.addHealthzCheck('silent', () => {
      begun.resolve();
      return new Promise(() => undefined);
    });
    const answer = get('health', '/healthz').catch((error: unknown) => error);
    await begun.promise;
    end.abort();
    expect(await outcome).toBeUndefined();
    expect(await answer).toMatchObject({ message: 'fetch failed' });
  });
});
