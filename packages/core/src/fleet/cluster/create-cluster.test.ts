import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { getEventListeners, once } from 'node:events';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ConfigMap, isTransportError } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import type { CallScope } from '../isolation/pending-call.ts';
import { withinWorker } from '../isolation/call-scope.ts';
import { isClusterIsolated } from '../isolation/cluster-isolated-error.ts';
import { declarationOf } from '../clusters/cluster-declaration.ts';
import { Clusters } from '../clusters/clusters.ts';
import { createManager } from '../../manager/create-manager.ts';
import type { Cluster } from './cluster.ts';
import { isClusterUnready } from './cluster-unready-error.ts';
import { createCluster } from './create-cluster.ts';
import { inheritedOptions } from '../../provider/inherited-options.ts';

const version: RequestListener = ({ url }, response) =>
  response.end(url === '/readyz' ? 'ok' : JSON.stringify({ major: '1', minor: '33', gitVersion: 'v1.33.1' }));

/** Returns the first failure of `ready`, and its result as `done`. */
function waiting(cluster: Cluster, signal: AbortSignal) {
  const failed = Promise.withResolvers<Error>();
  const done = cluster.ready(signal, { onFailure: failed.resolve }).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { failed: failed.promise, done };
}

describe('createCluster', () => {
  let clock: VirtualClock;
  let server: Server;
  let port: number;
  let answer: RequestListener;
  let requests: IncomingMessage[];
  let end: AbortController;

  const listen = async () => {
    server = createServer((request, response) => {
      requests.push(request);
      answer(request, response);
    });
    await once(server.listen(port, '127.0.0.1'), 'listening');
    port = (server.address() as AddressInfo).port;
  };
  const shutServer = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const clusterOf = (token = 'one') =>
    createCluster({ server: `http://127.0.0.1:${port}`, auth: { type: 'token', token } }, { name: 'eu-1', clock });

  beforeEach(async () => {
    clock = new VirtualClock();
    requests = [];
    answer = version;
    port = 0;
    end = new AbortController();
    await listen();
  });

  afterEach(async () => {
    end.abort();
    await shutServer();
  });

  it('refuses options that are unknown or wrong, and names them', () => {
    const make = (options: object) => () => createCluster({ server: 'https://h' }, options);
    expect(make({ nam: 'eu-1' })).toThrow('createCluster: unknown option "nam"');
    expect(make({ readYourWrites: 'yes' })).toThrow(/^createCluster: option "readYourWrites"/);
  });

  it("is counted in the manager's metrics, as are the clusters that inherit from it", async () => {
    const config = { server: `http://127.0.0.1:${port}` };
    const manager = await createManager({ config, clock, metrics: { bindAddress: '127.0.0.1:0' } });
    const inherited = createCluster(config, inheritedOptions(manager, 'eu-1'));
    for (const cluster of [manager.localManager.cluster, inherited]) await cluster.ready(end.signal);
    expect(await manager.metrics?.registry.metrics()).toContain(
      `rest_client_requests_total{code="200",method="GET",host="127.0.0.1:${port}"} 2\n`,
    );
  });

  it('opens no connection before it is used, and is ready when the server has answered with its version', async () => {
    const connected = countConnections(server);
    const cluster = clusterOf();
    expect(cluster.info).toEqual({ labels: {}, properties: {} });
    await new Promise(setImmediate);
    expect(connected()).toBe(0);
    await cluster.ready(end.signal);
    expect(cluster.info.version).toBe('v1.33.1');
    expect(getEventListeners(end.signal, 'abort')).toEqual([]);
  });

  it('retries until the server is reachable', async () => {
    const cluster = clusterOf();
    await shutServer();
    const { failed, done } = waiting(cluster, end.signal);
    expect((await failed).message).toBe(`cluster "eu-1" does not answer: 127.0.0.1:${port}: connection refused`);
    await listen();
    await clock.advance(250);
    expect(await done).toBeUndefined();
    expect(cluster.info.version).toBe('v1.33.1');
  });

  it('fails with the last failure when the signal aborts', async () => {
    const cluster = clusterOf();
    await shutServer();
    const { failed, done } = waiting(cluster, end.signal);
    await failed;
    end.abort(new Error('30 s have passed'));
    const error = await done;
    expect(isClusterUnready(error)).toBe(true);
    expect((error as Error).message).toContain(`127.0.0.1:${port}: connection refused`);
    expect(isTransportError((error as Error).cause)).toBe(true);
    expect(clock.pendingTimers).toBe(0);
    await listen();
  });

  it.each([
    [401, 'refuses the credentials'],
    [403, 'refuses GET /version'],
  ])('retries rarely after %i', async (status, message) => {
    answer = (_, response) => response.writeHead(status).end();
    const { failed, done } = waiting(clusterOf(), end.signal);
    expect((await failed).message).toContain(message);
    await clock.advance(2_499);
    expect(requests).toHaveLength(1);
    answer = version;
    await clock.advance(2_501);
    expect(await done).toBeUndefined();
  });

  it('reports an endpoint that is not an API server', async () => {
    answer = (_, response) => response.end('{"hello":"world"}');
    const { failed } = waiting(clusterOf(), end.signal);
    expect((await failed).message).toContain('is not a Kubernetes API server');
  });

  it('gives up at once when the cluster has stopped', async () => {
    const cluster = clusterOf();
    await cluster.run(AbortSignal.abort());
    await expect(cluster.ready(end.signal)).rejects.toThrow('closed');
  });

  it('CL-3: uses the credentials of the latest rotation, also if two start in one turn', async () => {
    const clusters = new Clusters({ clock });
    const aware = { engage: async () => undefined };
    await clusters.add('eu-1', clusterOf('one'), aware, end.signal);
    clusters.ensure('eu-1', declarationOf(clusterOf('two')), aware, end.signal);
    await clusters.addOrReplace('eu-1', clusterOf('one'), aware, end.signal);
    expect(clusters.get('eu-1').config.auth).toEqual({ type: 'token', token: 'one' });
    answer = (_, response) => response.end('{"metadata":{"name":"x"}}');
    await clusters.get('eu-1').apiReader.find(ConfigMap, { namespace: 'default', name: 'x' });
    expect(requests.at(-1)?.headers.authorization).toBe('Bearer one');
    await clusters.removeAll();
  });

  it('uses new credentials from the next request on, and refuses another endpoint', async () => {
    const cluster = clusterOf('one');
    await cluster.ready(end.signal);
    await cluster.rotate({ ...cluster.config, auth: { type: 'token', token: 'two' } });
    await cluster.ready(end.signal);
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer one', 'Bearer two']);
    expect(cluster.config.auth).toEqual({ type: 'token', token: 'two' });
    await expect(cluster.rotate({ server: 'http://127.0.0.1:1' })).rejects.toThrow(TypeError);
    expect(cluster.config.auth).toEqual({ type: 'token', token: 'two' });
  });

  it('S-4: shows no credential when it is printed', () => {
    expect(JSON.stringify(clusterOf('canary').config)).not.toContain('canary');
  });

  it('MG-8: runs once, and closes its connections at the end', async () => {
    const connection = once(server, 'connection') as Promise<[Socket]>;
    const cluster = clusterOf();
    const running = cluster.run(end.signal);
    await cluster.ready(new AbortController().signal);
    await expect(cluster.run(end.signal)).rejects.toThrow('cluster "eu-1" is running or has stopped');
    const [socket] = await connection;
    const closed = once(socket, 'close');
    end.abort();
    await running;
    await closed;
    await expect(cluster.apiReader.find(ConfigMap, { namespace: 'x', name: 'y' })).rejects.toThrow('closed');
  });

  describe('ping', () => {
    const ping = (cluster: Cluster) => cluster.ping({ signal: end.signal, timeout: 5_000 });

    it('FL-4, F-24: is one request that reaches storage', async () => {
      const cluster = clusterOf();
      await cluster.ready(end.signal);
      await ping(cluster);
      expect(requests.map(({ url }) => url)).toEqual(['/version', '/readyz']);
    });

    it('FL-4: notices a new server version after an outage, and without one after 10 minutes', async () => {
      const cluster = clusterOf();
      await cluster.ready(end.signal);
      const well = answer;
      answer = (_, response) => response.writeHead(500).end();
      await expect(ping(cluster)).rejects.toThrow('cluster "eu-1" is not ready');
      answer = (request, response) => {
        if (request.url === '/version')
          response.end(JSON.stringify({ major: '1', minor: '34', gitVersion: 'v1.34.0' }));
        else well(request, response);
      };
      await ping(cluster);
      expect(cluster.info.version).toBe('v1.34.0');
      answer = well;
      await ping(cluster);
      expect(cluster.info.version).toBe('v1.34.0');
      await clock.advance(600_000);
      await ping(cluster);
      expect(cluster.info.version).toBe('v1.33.1');
    });

    it('FL-4: reports why a health check failed', async () => {
      answer = (_, response) => response.writeHead(401).end();
      const error = await ping(clusterOf()).catch((caught: unknown) => caught);
      expect(isClusterUnready(error)).toBe(true);
      expect((error as Error).message).toBe(
        `cluster "eu-1" refuses the credentials: 127.0.0.1:${port} answers 401 Unauthorized`,
      );
    });

    it('F-24: names the failed checks of a server whose etcd is down', async () => {
      answer = (_, response) => response.writeHead(500).end('[+]ping ok\n[-]etcd failed: reason withheld\n');
      await expect(ping(clusterOf())).rejects.toThrow(
        `cluster "eu-1" is not ready: 127.0.0.1:${port}: GET /readyz answered 500: failed checks: etcd`,
      );
    });

    it('F-24: fails while writes time out, though reads are answered, until one is answered or two minutes have passed', async () => {
      const cluster = clusterOf();
      const write = () =>
        cluster.client
          .delete(ConfigMap, { namespace: 'default', name: 'x' }, { timeout: 1_000 })
          .catch((error: unknown) => error);
      let asked = Promise.withResolvers<void>();
      const timeOut = async () => {
        asked = Promise.withResolvers();
        const written = write();
        await asked.promise;
        await clock.advance(1_000);
        expect(isTransportError(await written)).toBe(true);
      };
      const writes = (status?: number) => {
        answer = (request, response) => {
          if (request.method !== 'DELETE') version(request, response);
          else if (status !== undefined) response.writeHead(status).end('{}');
          else asked.resolve();
        };
      };
      writes();
      await timeOut();
      await timeOut();
      await ping(cluster);
      writes(504);
      await write();
      await expect(ping(cluster)).rejects.toThrow(
        'cluster "eu-1" cannot store writes: the last 3 writes failed: status 504',
      );
      writes(409);
      await write();
      await ping(cluster);
      writes();
      for (let times = 0; times < 3; times++) await timeOut();
      await expect(ping(cluster)).rejects.toThrow('deadline of 1000 ms passed');
      await clock.advance(121_000);
      await ping(cluster);
    });

    it('FP-2: a cluster is no longer slow after a minute without late calls', async () => {
      const cluster = clusterOf();
      const { signal } = new AbortController();
      const scope: CallScope = { calls: new Set(), preempted: undefined, ended: false, signal };
      const call = cluster.breaker?.begin(scope, 'GET');
      await clock.advance(1_500);
      call?.answered();
      await ping(cluster);
      expect(cluster.breaker?.state).toMatchObject({ phase: 'slow' });
      await clock.advance(60_000);
      await ping(cluster);
      expect(cluster.breaker?.state).toMatchObject({ phase: 'closed' });
    });

    it('FP-2: a reconcile waits for the cache of a cluster that loses its calls only until it is parked', async () => {
      const cluster = clusterOf();
      const running = cluster.run(end.signal);
      const asked = Promise.withResolvers<void>();
      answer = (request, response) => {
        if (request.method === 'DELETE') asked.resolve();
        else if (request.url?.includes('configmaps') !== true) version(request, response);
      };
      const { signal } = new AbortController();
      const scope: CallScope = { calls: new Set(), preempted: undefined, ended: false, signal };
      const key = { namespace: 'default', name: 'x' };
      const [read, ...writes] = withinWorker({ current: scope }, () =>
        [
          () => cluster.client.get(ConfigMap, key),
          () => cluster.client.delete(ConfigMap, key),
          () => cluster.client.delete(ConfigMap, key),
        ].map((call) =>
          call().then(
            () => undefined,
            (error: unknown) => error,
          ),
        ),
      );
      await asked.promise;
      await clock.advance(5_000);
      for (const error of await Promise.all([read, ...writes])) expect(isClusterIsolated(error)).toBe(true);
      const refused = withinWorker({ current: scope }, () => cluster.client.get(ConfigMap, key));
      await expect(refused).rejects.toThrow('cluster "eu-1" is parked');
      end.abort();
      await running;
    });

    it('FP-2, F-23, F-24: headers do not answer a call whose body trickles, and such writes count as failed', async () => {
      const cluster = clusterOf();
      let arrived = 0;
      const asked = Promise.withResolvers<void>();
      answer = (request, response) => {
        if (request.method !== 'DELETE') {
          version(request, response);
          return;
        }
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write(' ');
        if ((arrived += 1) === 3) asked.resolve();
      };
      const scope: CallScope = {
        calls: new Set(),
        preempted: undefined,
        ended: false,
        signal: new AbortController().signal,
      };
      const key = { namespace: 'default', name: 'x' };
      const writes = withinWorker({ current: scope }, () =>
        [1, 2, 3].map(() => cluster.client.delete(ConfigMap, key).catch((error: unknown) => error)),
      );
      await asked.promise;
      await clock.advance(1_000);
      expect(cluster.breaker?.state).toMatchObject({ phase: 'slow' });
      await clock.advance(4_000);
      for (const error of await Promise.all(writes)) expect(isClusterIsolated(error)).toBe(true);
      expect(scope.calls.size).toBe(0);
      await expect(ping(cluster)).rejects.toThrow('cluster "eu-1" cannot store writes: the last 3 writes failed');
    });

    it('FP-2, F-24: fails when writes were aborted because their cluster was parked, not when their caller aborted them', async () => {
      const cluster = clusterOf();
      let arrived = 0;
      const asked = Promise.withResolvers<void>();
      answer = (request, response) => {
        if (request.method !== 'DELETE') version(request, response);
        else if ((arrived += 1) === 6) asked.resolve();
      };
      const own = new AbortController();
      const write = (signal?: AbortSignal) =>
        cluster.client
          .delete(ConfigMap, { namespace: 'default', name: 'x' }, { timeout: 30_000, ...(signal && { signal }) })
          .catch((error: unknown) => error);
      const { signal } = new AbortController();
      const scope: CallScope = { calls: new Set(), preempted: undefined, ended: false, signal };
      const [given, ...lost] = withinWorker({ current: scope }, () =>
        [own.signal, own.signal, own.signal, undefined, undefined, undefined].map(write),
      );
      await asked.promise;
      own.abort(new Error('enough'));
      expect(await given).toMatchObject({ message: 'enough' });
      await ping(cluster);
      await clock.advance(5_000);
      expect((await Promise.all(lost)).filter(isClusterIsolated)).toHaveLength(3);
      await expect(ping(cluster)).rejects.toThrow(
        'cluster "eu-1" cannot store writes: the last 3 writes failed: cluster "eu-1" is parked: no response to DELETE within 5 s',
      );
    });

    it('FL-4: waits no longer than its deadline', async () => {
      const asked = Promise.withResolvers<void>();
      answer = () => asked.resolve();
      const pinged = ping(clusterOf()).catch((caught: unknown) => caught);
      await asked.promise;
      await clock.advance(5_000);
      expect(isClusterUnready(await pinged)).toBe(true);
    });
  });
});

/** Returns a counter of the server's connections. */
function countConnections(server: Server): () => number {
  let count = 0;
  server.on('connection', () => (count += 1));
  return () => count;
}
