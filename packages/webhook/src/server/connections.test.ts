import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { Connections } from './connections.ts';

const LIMIT = 40;

/** A server with connections of many clients. Each client is named by its address. */
class Scene {
  readonly #connections = new Connections(LIMIT);
  readonly open = new Map<Socket, string>();
  #port = 0;

  connect(address: string): Socket {
    const socket = new FakeSocket(address, (this.#port += 1)) as unknown as Socket;
    this.open.set(socket, address);
    socket.once('close', () => this.open.delete(socket));
    this.#connections.add(socket);
    return socket;
  }

  /** Sends a request that is answered. */
  serve(address: string): Socket {
    const socket = this.connect(address);
    this.request(socket)(true);
    return socket;
  }

  request(socket: Socket): (isServed: boolean) => void {
    return this.#connections.requested(socket);
  }

  count(address: string): number {
    return [...this.open.values()].filter((each) => each === address).length;
  }
}

class FakeSocket extends EventEmitter {
  readonly remoteAddress: string;
  readonly remotePort: number;

  constructor(remoteAddress: string, remotePort: number) {
    super();
    this.remoteAddress = remoteAddress;
    this.remotePort = remotePort;
  }

  destroy(): void {
    this.emit('close');
  }
}

const times = (count: number, each: (index: number) => void): void => {
  for (let index = 0; index < count; index += 1) each(index);
};

describe('the connections of a webhook server', () => {
  it('WH-6: takes connections from the client that has the most, also if its requests are answered', () => {
    const scene = new Scene();
    const apiServers = ['10.0.0.1', '10.0.0.2', '10.0.0.3'];
    for (const address of apiServers) scene.serve(address);
    times(500, () => scene.serve('192.0.2.1'));
    expect(apiServers.map((address) => scene.count(address))).toEqual([1, 1, 1]);
    scene.connect('10.0.0.4');
    expect(scene.count('10.0.0.4')).toBe(1);
    expect(scene.open.size).toBe(LIMIT);
  });

  it('WH-6: counts a network of IPv6 as one client', () => {
    const scene = new Scene();
    scene.serve('2001:db8:1::1');
    times(500, (index) => scene.connect(`2001:db8:2:0:${index.toString(16)}::1`));
    expect(scene.count('2001:db8:1::1')).toBe(1);
  });

  it('WH-6: takes connections without an answered request first, behind a load balancer and from many clients', () => {
    for (const address of [() => '10.0.0.1', (index: number) => `192.0.2.${index}`]) {
      const scene = new Scene();
      const served = scene.serve('10.0.0.1');
      const end = scene.request(scene.connect('10.0.0.1'));
      times(200, (index) => scene.connect(address(index)));
      end(true);
      expect(scene.open.has(served)).toBe(true);
      expect(scene.open.size).toBe(LIMIT);
    }
  });

  it('WH-6: takes the connection that is idle the longest then, and refuses new ones while all are busy', () => {
    const scene = new Scene();
    const all: Socket[] = [];
    times(LIMIT, () => all.push(scene.serve('10.0.0.1')));
    const [first, second, ...others] = all;
    if (first) scene.request(first)(true);
    scene.connect('10.0.0.1');
    expect([first, second].map((socket) => socket && scene.open.has(socket))).toEqual([true, false]);
    const newest = [...scene.open.keys()].at(-1);
    for (const socket of [first, newest, ...others]) if (socket) scene.request(socket)(true);
    for (const socket of [first, newest, ...others]) if (socket) scene.request(socket);
    const refused = scene.connect('10.0.0.1');
    expect(scene.open.has(refused)).toBe(false);
    expect(scene.open.size).toBe(LIMIT);
  });
});
