import { createSocket } from 'node:dgram';

/**
 * Ports that no system gives to outgoing connections (Linux begins at 32,768): while a server is down, a connection
 * could get its port, and the server could not come back to it.
 */
export const PORTS = { from: 10_000, to: 32_768 };

/** A port that is kept for a server, also while that is down. */
export interface PortClaim {
  release(): void;
}

/**
 * Claims a port among all who claim theirs, in whatever process. What is held is the UDP port of that number, for TCP
 * has no way to hold one and refuse connections.
 *
 * @returns `undefined` when somebody else has it.
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
