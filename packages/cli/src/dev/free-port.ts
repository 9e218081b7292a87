import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Where servers of `mcr dev` and of the program listen. */
export const LOOPBACK = '127.0.0.1';

/** A port on loopback that no other program can listen on before it is released. */
export interface ReservedPort {
  readonly port: number;
  /** Frees the port. Later calls do nothing. */
  release(): void;
}

/** Reserves a free port: the preferred one, if it is free. */
export async function reservePort(preferred = 0): Promise<ReservedPort> {
  const server = createServer().listen(preferred, LOOPBACK);
  try {
    await once(server, 'listening');
  } catch (error) {
    if (preferred === 0) throw error;
    return await reservePort();
  }
  server.unref();
  return { port: (server.address() as AddressInfo).port, release: () => void server.close() };
}
