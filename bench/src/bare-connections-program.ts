import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import type { ClusterConfig } from '@mcr/core';
import { processorTime } from './processor-time.ts';
import { serveCommands } from './program.ts';
import { residentMemory } from './resident-memory.ts';

/** Number of clusters that a provider connects to at once. */
const CONCURRENCY = 16;

/** The floors of engaged clusters: bare connections. */
const commands = {
  /** Opens three watches on a connection to each cluster. @returns the memory that they add, in bytes. */
  async watch(configs: readonly ClusterConfig[]): Promise<number> {
    const before = residentMemory();
    for (const { server, tls, auth } of configs) {
      const session = connectHttp2(server, { ca: tls?.caData });
      const authorization = auth?.type === 'token' ? { authorization: `Bearer ${auth.token}` } : {};
      for (const resource of ['configmaps', 'secrets', 'serviceaccounts']) {
        const stream = session.request({ ':path': `/api/v1/${resource}?watch=true`, ...authorization });
        stream.resume();
        await once(stream, 'response');
      }
    }
    return residentMemory() - before;
  },

  /** Shakes hands with each server. @returns the processor time in milliseconds. */
  async shakeHands(configs: readonly ClusterConfig[]): Promise<number> {
    const waiting = configs.values();
    const work = async () => {
      for (const { server, tls } of waiting) {
        const { hostname, port } = new URL(server);
        const socket = connectTls({ host: hostname, port: Number(port), ca: tls?.caData, ALPNProtocols: ['h2'] });
        await once(socket, 'secureConnect');
        socket.destroy();
      }
    };
    const started = processorTime();
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    return processorTime() - started;
  },
};

/** Commands of a process with bare connections. */
export type BareConnectionsCommands = typeof commands;

serveCommands(commands);
