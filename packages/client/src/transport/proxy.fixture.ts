import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type Server as HttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import type { Identity } from './certificates.fixture.ts';
import { listen, startTcpServer, type TestServer } from './server.fixture.ts';

export interface TestProxy extends TestServer {
  /** The requested targets, for example `localhost:6443`, with the credentials of the client. */
  readonly requests: readonly { readonly target: string; readonly credentials: string | undefined }[];
}

/**
 * Starts an HTTP proxy that connects every name to the loopback interface.
 *
 * @param options.identity enables TLS to the proxy.
 * @param options.status status of every response, instead of a connection.
 */
export async function startHttpProxy({
  identity,
  status,
}: { readonly identity?: Identity; readonly status?: number } = {}): Promise<TestProxy> {
  const requests: { target: string; credentials: string | undefined }[] = [];
  const server: HttpServer = identity ? createHttpsServer(identity) : createHttpServer();
  server.on('connect', ({ url = '', headers }: IncomingMessage, socket: Socket) => {
    requests.push({ target: url, credentials: headers['proxy-authorization'] });
    if (status === undefined)
      connectTo(socket, Number(url.split(':').at(-1)), () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    else socket.end(`HTTP/1.1 ${status} canary-phrase\r\n\r\n`);
  });
  return Object.assign(await listen(server), { requests });
}

/**
 * Starts a SOCKS 5 server that connects every name to the loopback interface.
 *
 * @param options.account required user name and password, `name:password`. Default: none.
 */
export async function startSocksProxy({ account }: { readonly account?: string } = {}): Promise<TestProxy> {
  const requests: { target: string; credentials: string | undefined }[] = [];
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
    // Type 1 is an IPv4 address, type 3 a name.
    const host = request[3] === 1 ? [...request.subarray(4, 8)].join('.') : request.subarray(5, -2).toString();
    const port = request.readUInt16BE(request.length - 2);
    requests.push({ target: `${host}:${port}`, credentials });
    connectTo(socket, port, () => socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0])));
  };
  const server = await startTcpServer((socket) => void serve(socket).catch(() => socket.destroy()));
  return Object.assign(server, { requests });
}

function connectTo(socket: Socket, port: number, onConnected: () => void): void {
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
