import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Balancer } from './balancer.ts';
import { reservePort } from './free-port.ts';

async function freePort(): Promise<number> {
  const reserved = await reservePort();
  reserved.release();
  return reserved.port;
}

describe('Balancer', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  /** Starts a server that sends its name. */
  async function serve(name: string, port = 0): Promise<string> {
    const server = createServer((socket) => void socket.end(name)).listen(port, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function ask({ url }: Balancer): Promise<string> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    return await text(socket);
  }

  it('WB-2: passes connections to the replicas in turn, without those that accept none', async () => {
    const closed = `127.0.0.1:${await freePort()}`;
    const addresses = [await serve('a'), closed, await serve('b')];
    await using balancer = await Balancer.start(addresses.map((webhooks) => ({ webhooks })));
    expect(balancer.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/u);
    expect([await ask(balancer), await ask(balancer), await ask(balancer)]).toEqual(['a', 'b', 'b']);
  });

  it('WB-2: holds a connection while all replicas restart', async () => {
    const port = await freePort();
    await using balancer = await Balancer.start([{ webhooks: `127.0.0.1:${port}` }]);
    const answer = ask(balancer);
    // The balancer is refused at least once.
    await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
    await serve('late', port);
    expect(await answer).toBe('late');
  });

  it('WB-2: ends the connections that are open when it closes', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const accepted = once(server, 'connection');
    const balancer = await Balancer.start([{ webhooks: `127.0.0.1:${(server.address() as AddressInfo).port}` }]);
    const client = connect(Number(new URL(balancer.url).port), '127.0.0.1');
    await accepted;
    const closed = once(client, 'close');
    await balancer[Symbol.asyncDispose]();
    await closed;
    await expect(once(connect(Number(new URL(balancer.url).port), '127.0.0.1'), 'connect')).rejects.toThrow();
  });
});
