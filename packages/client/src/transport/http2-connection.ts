import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { Clock, Timer } from '../clock/clock.ts';
import { CONNECT_DEADLINE, connectTookTooLong } from './connector.ts';
import type { Exchange } from './exchange.ts';
import { afterPendingInput } from './ping.ts';
import type { PingResult } from './transport.ts';
import { toTransportError, TransportError } from '../errors/transport-error.ts';
import { headerRecord, type WireRequest, type WireResponse } from './wire.ts';

const { NGHTTP2_CANCEL, NGHTTP2_REFUSED_STREAM } = constants;

/** Interval of pings while streams are open, in milliseconds. */
const PING_INTERVAL = 30_000;
/** Deadline for the response to such a ping, in milliseconds. A lost peer is detected within the sum of the two. */
const PING_DEADLINE = 15_000;
/**
 * Time without data from the peer after a {@link Http2Connection.ping} after which the connection is closed, in
 * milliseconds. Watches resume on another connection.
 */
const CHECK_DEADLINE = 5_000;

/** Time after which a connection without streams is closed, in milliseconds. kube-apiserver closes it after 90 s. */
const IDLE_DEADLINE = 60_000;

/** Flow-control windows of one stream and of the connection, in bytes: enough for a large list at full speed. */
const STREAM_WINDOW = 4 * 1024 * 1024;
const CONNECTION_WINDOW = 16 * 1024 * 1024;

/**
 * Memory limit of a session, in megabytes. Node.js refuses new streams above it. Bodies that wait to be sent count, and
 * could exceed Node's default of 10 MB.
 */
const SESSION_MEMORY = 1024;

/**
 * One HTTP/2 connection. It detects a lost peer with pings, and closes itself after an idle time. It keeps the process
 * alive only while streams are open.
 */
export class Http2Connection {
  readonly #socket: Socket;
  readonly #session: ClientHttp2Session;
  readonly #authority: string;
  readonly #scheme: string;
  readonly #clock: Clock;
  #openStreams = 0;
  #retired = false;
  #isSilent = false;
  /** The {@link ping} in flight. */
  #check: Promise<PingResult> | undefined;
  /** The deadline of an unanswered ping frame of {@link ping}. Node.js allows ten such frames, but one is enough. */
  #checkTimer: Timer | undefined;
  /** Settles the check in flight. */
  #onPong: (result: PingResult) => void = () => undefined;
  /** Timer of the idle time, while no stream is open. */
  #idleTimer: Timer | undefined;
  /** Timer of the next ping or of its deadline, while streams are open or the last ping was not answered. */
  #pingTimer: Timer | undefined;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;

  private constructor(socket: Socket, session: ClientHttp2Session, url: URL, clock: Clock) {
    this.#socket = socket;
    this.#session = session;
    this.#authority = url.host;
    this.#scheme = url.protocol.slice(0, -1);
    this.#clock = clock;
    this.closed = new Promise((resolve) => {
      session.once('close', () => {
        this.#idleTimer?.cancel();
        this.#stopPings();
        this.#checkTimer?.cancel();
        resolve();
      });
    });
    this.#idle();
  }

  /**
   * Starts HTTP/2 over `socket`. Resolves when the server has sent its settings, which limit the number of streams.
   *
   * @throws {TransportError} if the connection fails, or the settings do not arrive within the connect deadline.
   */
  static start(socket: Socket, url: URL, clock: Clock): Promise<Http2Connection> {
    const session = connect(url.origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW },
      maxSessionMemory: SESSION_MEMORY,
    });
    return new Promise((resolve, reject) => {
      const fail = (cause?: unknown) => {
        deadline.cancel();
        session.destroy();
        reject(toTransportError(cause ?? connectionLost(), url.host, { unprocessed: true }));
      };
      const deadline = clock.schedule(CONNECT_DEADLINE, () => fail(connectTookTooLong(url.host)));
      session.once('connect', () => session.setLocalWindowSize(CONNECTION_WINDOW));
      session.on('error', fail);
      session.once('close', fail);
      session.once('remoteSettings', () => {
        deadline.cancel();
        session.off('error', fail).off('close', fail);
        // A failing session also fails its streams, which report the error.
        session.on('error', () => undefined);
        resolve(new Http2Connection(socket, session, url, clock));
      });
    });
  }

  /** Whether a stream can be opened: the server allows one more, and the peer is not silent. */
  get hasRoom(): boolean {
    return (
      this.isOpen &&
      !this.#isSilent &&
      this.#openStreams < (this.#session.remoteSettings.maxConcurrentStreams ?? Infinity)
    );
  }

  /** Whether requests can be sent. `false` after a GOAWAY of the server. */
  get isOpen(): boolean {
    return !this.#retired && !this.#session.closed && !this.#session.destroyed;
  }

  /** Whether the last {@link ping} was not answered in time, and nothing has arrived since. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /**
   * Checks whether the peer answers a ping, or sends any other data, within `timeout` ms: behind a large body, the
   * answer may be late. Returns `unknown` if the connection closes first. Concurrent checks share one ping.
   */
  ping(timeout: number): Promise<PingResult> {
    this.#check ??= this.#checkPeer(timeout).finally(() => (this.#check = undefined));
    return this.#check;
  }

  #checkPeer(timeout: number): Promise<PingResult> {
    return new Promise((resolve) => {
      const received = this.#socket.bytesRead;
      const settle = (result: PingResult) => {
        timer.cancel();
        this.#onPong = () => undefined;
        resolve(result);
      };
      const timer = this.#clock.schedule(timeout, () =>
        afterPendingInput(() => {
          if (this.#checkTimer) this.#isSilent = this.#socket.bytesRead === received;
          settle(this.#isSilent ? 'silent' : 'answered');
        }),
      );
      this.#onPong = settle;
      if (this.#session.destroyed) settle('unknown');
      else if (!this.#checkTimer) this.#sendPing();
    });
  }

  #sendPing(): void {
    const received = this.#socket.bytesRead;
    const timer = this.#clock.schedule(CHECK_DEADLINE, () =>
      afterPendingInput(() => {
        if (this.#checkTimer !== timer || this.#socket.bytesRead !== received) return;
        this.giveUp(`no answer to a ping within ${CHECK_DEADLINE} ms`);
      }),
    );
    this.#checkTimer = timer;
    this.#session.ping((error: Error | null) => {
      timer.cancel();
      this.#checkTimer = undefined;
      // After a late answer, requests use the connection again.
      if (!error) this.#isSilent = false;
      this.#onPong(error ? 'unknown' : 'answered');
    });
  }

  /** Closes a connection whose peer is lost. @param reason message of the error that its streams fail with. */
  giveUp(reason: string): void {
    this.#session.destroy(new TransportError('reset', this.#authority, reason));
  }

  open(request: WireRequest, exchange: Exchange): Promise<WireResponse> {
    return new Promise((resolve, reject) => {
      exchange.beforeSend();
      const stream = this.#request(request);
      if (this.#openStreams === 0) this.#session.ref();
      this.#openStreams += 1;
      this.#idleTimer?.cancel();
      if (!this.#pingTimer) this.#schedulePing();
      let answered = false;
      exchange.carriedBy({ destroy: (error) => cancel(stream, error) });

      stream.once('response', (headers) => {
        answered = true;
        const status = headers[':status'] ?? 0;
        resolve({ status, headers: headerRecord(headers), body: stream });
      });
      // The listener remains after the response, because an error without a listener would crash the process.
      stream.on('error', (cause) => reject(this.#failure(cause, stream)));
      stream.once('close', () => {
        this.#openStreams -= 1;
        if (this.#openStreams === 0) {
          this.#idle();
          if (answered) this.#stopPings();
        }
        // The error is created only if it is needed, because every request gets here.
        if (!answered) reject(this.#failure(connectionLost(), stream));
      });
      if (request.body !== undefined) stream.end(request.body);
    });
  }

  /** Accepts no further requests, and closes after the last one. */
  retire(): void {
    this.#retired = true;
    this.#session.close();
  }

  async close(): Promise<void> {
    this.#retired = true;
    this.#session.destroy();
    // A session that sent a GOAWAY keeps its socket open until the peer responds.
    this.#socket.destroy();
    await this.closed;
  }

  #request({ method, path, headers, body }: WireRequest): ClientHttp2Stream {
    try {
      return this.#session.request(
        { ':method': method, ':path': path, ':authority': this.#authority, ':scheme': this.#scheme, ...headers },
        { endStream: body === undefined },
      );
    } catch (cause) {
      throw toTransportError(cause, this.#authority, { unprocessed: !this.isOpen });
    }
  }

  /** A stream without an id was not sent, and a refused stream was not processed (RFC 9113 section 8.7). */
  #failure(cause: unknown, stream: ClientHttp2Stream): TransportError {
    const unprocessed = stream.id === undefined || stream.rstCode === NGHTTP2_REFUSED_STREAM;
    return toTransportError(cause, this.#authority, { unprocessed });
  }

  #idle(): void {
    // An idle connection must not keep alive a process that has nothing else to do. Pings in flight have their own timers.
    if (!this.#session.destroyed) this.#session.unref();
    this.#idleTimer = this.#clock.schedule(IDLE_DEADLINE, () => {
      // After its GOAWAY, a session waits for the peer to close the socket. A lost peer never does.
      if (this.#session.destroyed) this.#socket.destroy();
      else this.retire();
      this.#idle();
    });
    this.#idleTimer.unref?.();
  }

  #schedulePing(): void {
    this.#pingTimer = this.#clock.schedule(PING_INTERVAL, () => this.#ping());
  }

  #stopPings(): void {
    this.#pingTimer?.cancel();
    this.#pingTimer = undefined;
  }

  #ping(): void {
    if (this.#session.destroyed) return;
    let answered = false;
    this.#pingTimer = this.#clock.schedule(PING_DEADLINE, () => {
      afterPendingInput(() => {
        if (!answered) this.giveUp(`no answer to a ping within ${PING_DEADLINE} ms`);
      });
    });
    this.#session.ping(() => {
      answered = true;
      this.#stopPings();
      if (this.#openStreams > 0) this.#schedulePing();
    });
  }
}

function cancel(stream: ClientHttp2Stream, error: Error | undefined): void {
  if (stream.destroyed) return;
  stream.close(NGHTTP2_CANCEL);
  stream.destroy(error);
}

function connectionLost(): Error {
  return Object.assign(new Error('connection lost'), { code: 'ECONNRESET' });
}
