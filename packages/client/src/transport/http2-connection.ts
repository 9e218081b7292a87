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

/** While streams are open, a peer that is gone is noticed within the sum of the two, in milliseconds. */
const PING_INTERVAL = 30_000;
const PING_DEADLINE = 15_000;
/**
 * A connection whose peer sends nothing for so long after a {@link Http2Connection.ping} is closed, in milliseconds.
 * Watches resume on another connection.
 */
const CHECK_DEADLINE = 5_000;

/** A connection without streams is closed after this time, in milliseconds: before a kube-apiserver does it (90 s). */
const IDLE_DEADLINE = 60_000;

/** Bytes that one stream, and all streams together, may have under way: enough for a large list at full speed. */
const STREAM_WINDOW = 4 * 1024 * 1024;
const CONNECTION_WINDOW = 16 * 1024 * 1024;

/**
 * In megabytes. Above it Node.js cuts new streams off; bodies that wait to be sent count, and by default 10 MB of them
 * are enough.
 */
const SESSION_MEMORY = 1024;

/** One HTTP/2 connection. Notices by pings that its peer is gone, and closes itself when it has been idle for long. */
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
  /** Ends the check in flight. */
  #onPong: (result: PingResult) => void = () => undefined;
  /** The end of the idle time, while no stream is open. */
  #idleTimer: Timer | undefined;
  /** The next ping, or the deadline of its answer: while streams are open, and when the last one was not answered. */
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
   * Speaks HTTP/2 over `socket`. Resolves when the server has said how many streams it allows.
   *
   * @throws {TransportError} when it does not within the connect deadline.
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
        // A failing session fails its streams too; that is where its error is told.
        session.on('error', () => undefined);
        resolve(new Http2Connection(socket, session, url, clock));
      });
    });
  }

  /** Whether the server allows one more stream. No new one is opened while the peer is silent. */
  get hasRoom(): boolean {
    return (
      this.isOpen &&
      !this.#isSilent &&
      this.#openStreams < (this.#session.remoteSettings.maxConcurrentStreams ?? Infinity)
    );
  }

  /** Whether requests may be sent; false once the server said that it goes away. */
  get isOpen(): boolean {
    return !this.#retired && !this.#session.closed && !this.#session.destroyed;
  }

  /** Whether the last {@link ping} was not answered in time, and nothing has arrived since. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /**
   * Whether the peer answers a ping, or sends anything else, within `timeout` ms: behind a large body the answer to a
   * ping may come late. `unknown` if the connection closes meanwhile. Concurrent checks share one ping.
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
      // A late answer counts too: requests may use the connection again.
      if (!error) this.#isSilent = false;
      this.#onPong(error ? 'unknown' : 'answered');
    });
  }

  /** Closes a connection whose peer is gone. @param how the message of the error that its streams fail with. */
  giveUp(how: string): void {
    this.#session.destroy(new TransportError('reset', this.#authority, how));
  }

  open(request: WireRequest, exchange: Exchange): Promise<WireResponse> {
    return new Promise((resolve, reject) => {
      const stream = this.#request(request);
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
      // Also keeps a stream that nobody reads any more from crashing the process.
      stream.on('error', (cause) => reject(this.#failure(cause, stream)));
      stream.once('close', () => {
        this.#openStreams -= 1;
        if (this.#openStreams === 0) {
          this.#idle();
          if (answered) this.#stopPings();
        }
        // An error is not made for nobody: this is on the path of every request.
        if (!answered) reject(this.#failure(connectionLost(), stream));
      });
      if (request.body !== undefined) stream.end(request.body);
    });
  }

  /** Takes no further request and closes when the last one has ended. */
  retire(): void {
    this.#retired = true;
    this.#session.close();
  }

  async close(): Promise<void> {
    this.#retired = true;
    this.#session.destroy();
    // A session that has said goodbye leaves its socket open until its peer has answered.
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

  /** A stream that never got its number was not sent; one that was refused was not looked at (RFC 9113 section 8.7). */
  #failure(cause: unknown, stream: ClientHttp2Stream): TransportError {
    const unprocessed = stream.id === undefined || stream.rstCode === NGHTTP2_REFUSED_STREAM;
    return toTransportError(cause, this.#authority, { unprocessed });
  }

  #idle(): void {
    this.#idleTimer = this.#clock.schedule(IDLE_DEADLINE, () => {
      // A session ends its socket when it has said goodbye, and a peer that is gone never does so itself.
      if (this.#session.destroyed) this.#socket.destroy();
      else this.retire();
      this.#idle();
    });
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
