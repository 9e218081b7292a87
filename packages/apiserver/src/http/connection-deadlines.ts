import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse, ServerHttp2Session } from 'node:http2';
import type { TLSSocket } from 'node:tls';

/** Times after which a connection that makes no progress is closed, in milliseconds. */
export interface Deadlines {
  /** TLS handshake. */
  readonly handshake: number;
  /** Path and headers of a request over HTTP/1.1, from its first byte or the start of the connection. */
  readonly headers: number;
  /** First frame of HTTP/2. */
  readonly preface: number;
  /** Connection without an open request. */
  readonly idle: number;
}

/** The deadlines of kube-apiserver (`ReadHeaderTimeout` and `IdleTimeout` of its `http.Server`), and of Go's HTTP/2. */
export const DEADLINES: Deadlines = { handshake: 32_000, headers: 32_000, preface: 10_000, idle: 90_000 };

/** A timer that can be set again, and does not keep the process running. */
class Deadline {
  readonly #onOver: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(onOver: () => void) {
    this.#onOver = onOver;
  }

  /** Replaces the deadline. @param time in milliseconds from now. */
  set(time: number): void {
    this.clear();
    this.#timer = setTimeout(this.#onOver, time).unref();
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

/** A connection of HTTP/1.1. It is closed if it sends no complete headers, or no request. */
export class Http1Connection {
  readonly #deadlines: Deadlines;
  readonly #socket: TLSSocket;
  readonly #deadline: Deadline;
  #openRequests = 0;
  #isIdle = false;

  constructor(socket: TLSSocket, deadlines: Deadlines) {
    this.#socket = socket;
    this.#deadlines = deadlines;
    this.#deadline = new Deadline(() => socket.destroy());
    this.#deadline.set(deadlines.headers);
    socket.on('data', () => {
      if (!this.#isIdle) return;
      this.#isIdle = false;
      this.#deadline.set(deadlines.headers);
    });
    socket.once('close', () => this.#deadline.clear());
  }

  /** Suspends the deadlines until the response has ended. */
  serve(response: ServerResponse | Http2ServerResponse): void {
    this.#openRequests += 1;
    this.#deadline.clear();
    const onClose = (): void => {
      this.#openRequests -= 1;
      this.#isIdle = this.#openRequests === 0;
      if (this.#isIdle && !this.#socket.destroyed) this.#deadline.set(this.#deadlines.idle);
    };
    (response as ServerResponse).once('close', onClose);
  }
}

/** Closes a connection of HTTP/2 that does not begin, or has no open request. */
export function limitHttp2(session: ServerHttp2Session, deadlines: Deadlines): void {
  const deadline = new Deadline(() => session.destroy());
  const idle = new Deadline(() => session.close());
  let open = 0;
  deadline.set(deadlines.preface);
  session.once('remoteSettings', () => {
    deadline.clear();
    if (open === 0) idle.set(deadlines.idle);
  });
  session.on('stream', (stream) => {
    open += 1;
    idle.clear();
    stream.once('close', () => {
      open -= 1;
      if (open === 0 && !session.destroyed) idle.set(deadlines.idle);
    });
  });
  session.once('close', () => {
    deadline.clear();
    idle.clear();
  });
}
