import { createSocket } from 'node:dgram';

/**
 * Range of ports that operating systems do not assign to outgoing connections (Linux starts at 32,768). Otherwise, a
 * connection could get the port of a server that is down, and the server could not restart.
 */
export const PORTS = { from: 10_000, to: 32_768 };

/** A port that is reserved for a server, even while the server is down. */
export interface PortClaim {
  release(): void;
}

/**
 * Reserves a port against all other callers, in this and other processes. Binds the UDP port of the same number,
 * because a TCP port cannot be reserved while it refuses connections.
 *
 * @returns `undefined` if the port is already reserved.
 */
export function claimPort(port: number): Promise<PortClaim | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4').unref();
    socket.once('error', () => {
      socket.close();
      resolve(undefined);
    });
    socket.bind(port, '127.0.0.1', () => resolve({ release: () => void socket.close() }));
  });
}
