import type { LookupAddress } from 'node:dns';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { EndpointRules } from '../config/cluster-config.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { Connector } from './connector.ts';
import { NameLookups } from '../dns/name-lookups.ts';
import { startHttpProxy } from './proxy.fixture.ts';
import { startTcpServer, type TestServer } from './server.fixture.ts';
import { startThreadPool } from './thread-pool.fixture.ts';
import { failureOf } from './transport.fixture.ts';

const hang = () => new Promise<never>(() => undefined);
const loopback: readonly LookupAddress[] = [{ address: '127.0.0.1', family: 4 }];

describe('names whose DNS does not respond', () => {
  const clock = new VirtualClock();
  const connectors: Connector[] = [];
  let server: TestServer | undefined;
  afterEach(async () => {
    await Promise.all(connectors.splice(0).map((connector) => connector.close()));
    await server?.[Symbol.asyncDispose]();
    server = undefined;
    expect(clock.pendingTimers).toBe(0);
  });

  const connectorTo = (name: string, names: NameLookups, endpoints: EndpointRules = {}): Connector => {
    const connector = new Connector({ server: `http://${name}:${server?.port ?? 1}`, endpoints }, clock, names);
    connectors.push(connector);
    return connector;
  };

  it('F-12: a connection to a healthy name opens within 2 s while 8 other names hang', async () => {
    server = await startTcpServer(() => undefined);
    const pool = startThreadPool((name) => (name.startsWith('hanging') ? hang() : Promise.resolve(loopback)));
    const dns = (name: string) => (name.startsWith('hanging') ? hang() : Promise.resolve(loopback));
    const names = new NameLookups({ clock, system: pool.lookup, dns });
    const hanging = Array.from({ length: 8 }, (_, index) =>
      failureOf(connectorTo(`hanging-${index}.test`, names).connect([])),
    );
    const healthy = connectorTo('healthy.test', names).connect([]);
    // The lookup of the healthy name waits for a thread.
    await clock.advance(999);
    expect(pool.waiting).toBe(7);
    await clock.advance(1);
    expect(await healthy).toMatchObject({ remoteAddress: '127.0.0.1', remotePort: server.port });
    await clock.advance(10_000);
    for (const failure of hanging) expect(await failure).toMatchObject({ code: 'deadline', unprocessed: true });
    // The next connection queries the DNS immediately, because the lookup has waited for a thread for over a second.
    const next = connectorTo('healthy.test', names).connect([]);
    await clock.advance(0);
    expect(await next).toMatchObject({ remotePort: server.port });
  });

  it('F-12: a lookup remains for the next connection when its connection is closed', async () => {
    server = await startTcpServer(() => undefined);
    const system = Promise.withResolvers<readonly LookupAddress[]>();
    let lookups = 0;
    const names = new NameLookups({
      clock,
      system: () => {
        lookups += 1;
        return system.promise;
      },
      dns: hang,
    });
    const closed = connectorTo('eu.test', names);
    const closing = failureOf(closed.connect([]));
    await closed.close();
    expect(await closing).toMatchObject({ code: 'reset' });
    const retry = connectorTo('eu.test', names).connect([]);
    system.resolve(loopback);
    expect(await retry).toMatchObject({ remotePort: server.port });
    expect(lookups).toBe(1);
  });

  it('F-12: the name of a proxy is resolved in the same way', async () => {
    const proxy = await startHttpProxy();
    server = proxy;
    const dns = (name: string) => (name === 'proxy.test' ? Promise.resolve(loopback) : hang());
    const names = new NameLookups({ clock, system: hang, dns });
    const config = { server: `http://eu.test:${proxy.port}`, proxyUrl: `http://proxy.test:${proxy.port}` };
    const connector = new Connector(config, clock, names);
    connectors.push(connector);
    const connected = connector.connect([]);
    await clock.advance(1_000);
    expect(await connected).toMatchObject({ remotePort: proxy.port });
    expect(proxy.requests).toMatchObject([{ target: `eu.test:${proxy.port}` }]);
  });

  it.each(['system', 'dns'] as const)('F-12, S-15: refuses a metadata address from the %s', async (source) => {
    const metadata: readonly LookupAddress[] = [{ address: '169.254.169.254', family: 4 }];
    const answer = () => Promise.resolve(metadata);
    const names = new NameLookups({ clock, system: source === 'system' ? answer : hang, dns: answer });
    const failure = failureOf(connectorTo('eu.test', names, { metadataAddresses: false }).connect([]));
    await clock.advance(1_000);
    expect(await failure).toMatchObject({ code: 'disallowed', unprocessed: true });
  });

  it('F-12: fails if the system reports that a name does not exist', async () => {
    const system = () => Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }));
    const names = new NameLookups({ clock, system, dns: hang });
    expect(await failureOf(connectorTo('eu.test', names).connect([]))).toMatchObject({ code: 'unresolved' });
  });
});
