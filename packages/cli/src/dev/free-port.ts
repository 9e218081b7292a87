import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Where servers of `mcr dev` and of the program listen. */
export const LOOPBACK = '127.0.0.1';

/** Returns a free port on loopback: the preferred one, if it is free. */
export async function freePort(preferred = 0): Promise<number> {
  const server = createServer().listen(preferred, LOOPBACK);
  try {
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch (error) {
    if (preferred === 0) throw error;
    return await freePort();
  } finally {
    server.close();
  }
}
