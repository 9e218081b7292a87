import { once } from 'node:events';
import { createServer as createPlainServer, type RequestListener } from 'node:http';
import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type SecureServerOptions,
  type ServerHttp2Session,
} from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Handles a request. It also works with HTTP/1.1 if it does not use `response.stream`. */
export type Handler = (
  request: Pick<Http2ServerRequest, 'method' | 'url' | 'headers' | 'httpVersion' | 'resume'>,
  response: Http2ServerResponse,
) => void;

/** A server on a free port of the loopback interface. */
export interface TestServer extends AsyncDisposable {
  readonly port: number;
  /** Number of accepted connections. */
  readonly connections: number;
  readonly sockets: ReadonlySet<Socket>;
  /** HTTP/2 sessions, in the order of their start. */
  readonly sessions: readonly ServerHttp2Session[];
}

/** Starts a server with HTTP/2 and HTTP/1.1 over TLS, or only HTTP/1.1 with `protocol: 'http/1.1'`. */
export function startSecureServer(
  { protocol = 'h2', ...options }: SecureServerOptions & { readonly protocol?: string },
  handler: Handler,
): Promise<TestServer> {
  if (protocol !== 'h2') return listen(createHttpsServer(options, handler as unknown as RequestListener));
  const server = createSecureServer({ allowHTTP1: true, ...options }, handler);
  const sessions: ServerHttp2Session[] = [];
  server.on('session', (session: ServerHttp2Session) => {
    session.on('error', () => undefined);
    sessions.push(session);
  });
  return listen(server, sessions);
}

/** Starts a server with HTTP/1.1 and without TLS. */
export function startPlainServer(handler: Handler): Promise<TestServer> {
  return listen(createPlainServer(handler as unknown as RequestListener));
}

/** Starts a server that passes each TCP connection to `onConnection`. */
export function startTcpServer(onConnection: (socket: Socket) => void): Promise<TestServer> {
  return listen(createTcpServer(onConnection));
}

/** Makes `server` listen on a free port of the loopback interface. */
export async function listen(server: Server, sessions: readonly ServerHttp2Session[] = []): Promise<TestServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    sockets,
    sessions,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
