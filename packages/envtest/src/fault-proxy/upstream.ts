import type { ClientHttp2Session, IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2';
import { connect, constants } from 'node:http2';
import { Agent, request as sendRequest } from 'node:https';
import type { Readable } from 'node:stream';
import type { ClusterConfig } from '@mcr/client';

/** A request to forward. */
export interface Question {
  readonly method: string;
  /** Path with the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Empty if the request has no body. */
  readonly body: Buffer;
}

export interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  /** The stream is destroyed or fails if the body ends before it is complete. */
  readonly body: Readable;
  /** HTTP/2 error code with which the server reset the stream, or 0. */
  resetCode(): number;
  cancel(): void;
}

/** A connection to the server on behalf of one client connection. */
export interface Upstream {
  /** @throws {Error} if there is no response. */
  ask(question: Question): Promise<Answer>;
  close(): void;
}

/** Header fields of a single connection (RFC 9113 section 8.2.2), and fields that each side sets itself. */
const OWN: ReadonlySet<string> = new Set([
  'connection',
  'host',
  'http2-settings',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);

/**
 * @param events.onLost called when the connection ends without {@link Upstream.close}; `onLeaving` when the server
 *   announces that it will close it.
 */
export function http2Upstream(
  { server, tls }: ClusterConfig,
  events: { readonly onLost: () => void; readonly onLeaving: () => void },
): Upstream {
  const session: ClientHttp2Session = connect(server, tlsOptions(tls));
  let closed = false;
  session.on('error', () => undefined);
  session.once('goaway', events.onLeaving);
  session.once('close', () => {
    if (!closed) events.onLost();
  });
  return {
    ask: ({ method, path, headers, body }) =>
      new Promise((resolve, reject) => {
        const head = { ...passable(headers), ':method': method, ':path': path };
        const stream = session.request(head, { endStream: body.length === 0 });
        stream.once('response', (answered) => {
          resolve({
            status: Number(answered[':status']),
            headers: passable(answered),
            body: stream,
            resetCode: () => stream.rstCode,
            cancel: () => stream.close(constants.NGHTTP2_CANCEL),
          });
        });
        stream.on('error', reject);
        stream.once('close', () => reject(new StreamResetError(stream.rstCode || constants.NGHTTP2_INTERNAL_ERROR)));
        if (body.length > 0) stream.end(body);
      }),
    close() {
      closed = true;
      session.destroy();
    },
  };
}

export function http1Upstream({ server, tls }: ClusterConfig): Upstream {
  const agent = new Agent({ ...tlsOptions(tls), keepAlive: true });
  const url = new URL(server);
  return {
    ask: ({ method, path, headers, body }) =>
      new Promise((resolve, reject) => {
        const request = sendRequest(url, { agent, method, path, headers: passable(headers) });
        request.once('response', (answered) => {
          resolve({
            status: answered.statusCode ?? 0,
            headers: passable(answered.headers),
            body: answered,
            resetCode: () => 0,
            cancel: () => request.destroy(),
          });
        });
        request.on('error', reject);
        request.end(body);
      }),
    close: () => agent.destroy(),
  };
}

/** The server reset the stream before it responded. */
export class StreamResetError extends Error {
  override readonly name = 'StreamResetError';
  readonly code: number;

  /** @param code HTTP/2 error code. */
  constructor(code: number) {
    super(`the server reset the stream with code ${code}`);
    this.code = code;
  }
}

function passable(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':') && !OWN.has(name)));
}

function tlsOptions(tls: ClusterConfig['tls']) {
  return {
    ...(tls?.caData !== undefined && { ca: tls.caData }),
    ...(tls?.certData !== undefined && { cert: tls.certData }),
    ...(tls?.keyData !== undefined && { key: tls.keyData }),
    ...(tls?.serverName !== undefined && { servername: tls.serverName }),
    rejectUnauthorized: !(tls?.insecureSkipVerify ?? false),
  };
}
