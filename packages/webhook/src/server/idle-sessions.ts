import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Clock, Timer } from '@mcr/core';

/** Durations in milliseconds. */
export interface IdleLimits {
  /** Time until the first request. */
  readonly first: number;
  /** Time between two requests. */
  readonly idle: number;
  /** Time for the client to end a session that is closed. */
  readonly close: number;
}

/** Closes sessions of HTTP/2 without requests, for which Node.js has no limit. */
export class IdleSessions {
  readonly #clock: Clock;
  readonly #limits: IdleLimits;

  constructor(clock: Clock, limits: IdleLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  add(session: ServerHttp2Session): void {
    let open = 0;
    let timer: Timer | undefined;
    const wait = (time: number): void => {
      timer = this.#clock.schedule(time, () => this.close(session));
    };
    wait(this.#limits.first);
    session.on('stream', (stream: ServerHttp2Stream) => {
      open += 1;
      timer?.cancel();
      stream.once('close', () => {
        open -= 1;
        if (open === 0 && !session.closed) wait(this.#limits.idle);
      });
    });
    session.once('close', () => timer?.cancel());
  }

  /** Closes a session. A request that arrives at the same moment is sent again by the client (GOAWAY). */
  close(session: ServerHttp2Session): void {
    if (session.destroyed) return;
    const timer = this.#clock.schedule(this.#limits.close, () => session.destroy());
    session.once('close', () => timer.cancel());
    session.close();
  }
}
