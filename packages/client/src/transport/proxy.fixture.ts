import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type Server as HttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import type { Identity } from './certificates.fixture.ts';
import { listen, startTcpServer, type TestServer } from './server.fixture.ts';

export interface TestProxy extends TestServer {
  /** Where it was asked to lead, for example `localhost:6443`, each with the credentials that came. */
  readonly asked: readonly { readonly target: string; readonly credentials: string | undefined }[];
}

/**
 * An HTTP proxy that leads every name to this machine.
 *
 * @param options.identity for TLS to the proxy itself.
 * @param options.status what it answers instead of leading anywhere.
 */
export async function startHttpProxy({
  identity,
  status,
}: { readonly identity?: Identity; readonly status?: number } = {}): Promise<TestProxy> {
  const asked: { target: string; credentials: string | undefined }[] = [];
  const server: HttpServer = identity ? createHttpsServer(identity) : createHttpServer();
  server.on('connect', ({ url = '', headers }: IncomingMessage, socket: Socket) => {
    asked.push({ target: url, credentials: headers['proxy-authorization'] });
    if (status === undefined)
      lead(socket, Number(url.split(':').at(-1)), () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    else socket.end(`HTTP/1.1 ${status} canary-phrase\r\n\r\n`);
  });
  return Object.assign(await listen(server), { asked });
}

/**
 * A SOCKS 5 server that leads every name to this machine.
 *
 * @param options.account whom it serves. Default: everyone.
 */
export async function startSocksProxy({ account }: { readonly account?: string } = {}): Promise<TestProxy> {
  const asked: { target: string; credentials: string | undefined }[] = [];
  const serve = async (socket: Socket) => {
    await read(socket);
    socket.write(Buffer.from([5, account === undefined ? 0 : 2]));
    let credentials: string | undefined;
    if (account !== undefined) {
      const message = await read(socket);
      const end = 2 + (message[1] ?? 0);
      credentials = `${message.subarray(2, end).toString()}:${message.subarray(end + 1).toString()}`;
      socket.write(Buffer.from([1, credentials === account ? 0 : 1]));
      if (credentials !== account) return;
    }
    const request = await read(socket);
    // 1: an IPv4 address, 3: a name.
    const host = request[3] === 1 ? [...request.subarray(4, 8)].join('.') : request.subarray(5, -2).toString();
    const port = request.readUInt16BE(request.length - 2);
    asked.push({ target: `${host}:${port}`, credentials });
    lead(socket, port, () => socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0])));
  };
  const server = await startTcpServer((socket) => void serve(socket).catch(() => socket.destroy()));
  return Object.assign(server, { asked });
}

function lead(socket: Socket, port: number, onConnected: () => void): void {
  const target = connect(port, '127.0.0.1', () => {
    onConnected();
    socket.pipe(target).pipe(socket);
  });
  target.on('error', () => socket.destroy());
  target.once('close', () => socket.destroy());
  socket.once('close', () => target.destroy());
  socket.on('error', () => undefined);
}

async function read(socket: Socket): Promise<Buffer> {
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return chunk;
}
