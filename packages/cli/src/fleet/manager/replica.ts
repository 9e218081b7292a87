import { once } from 'node:events';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** A replica of a manager, and the way to it. */
export interface Replica {
  /** The name in messages: an address, or `pod/NAME`. */
  readonly name: string;
  /** Address of the fleet status. */
  readonly url: URL;
  /** Whether the replica is ending, so that it need not answer. */
  readonly isEnding: boolean;
  /** Opens a connection to the host and port of `url`. The caller destroys it. */
  readonly open: (signal: AbortSignal) => Promise<Duplex>;
}

/** Returns a replica that is reached directly. */
export function replicaAt(name: string, url: URL): Replica {
  const defaultPort = url.protocol === 'https:' ? 443 : 80;
  const target = { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || defaultPort };
  const open = async (signal: AbortSignal): Promise<Duplex> => {
    const socket = connect(target);
    try {
      await once(socket, 'connect', { signal });
      return socket;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  };
  return { name, url, isEnding: false, open };
}
