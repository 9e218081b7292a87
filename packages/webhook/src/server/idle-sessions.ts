import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Clock, Timer } from '@mcr/core';

/** Durations in milliseconds. */
export interface IdleLimits {
  /** Time until the first request. */
  readonly first: number;
  /** Time between two requests. */
  readonly idle: number;
}

/** Closes sessions of HTTP/2 without requests, for which Node.js has no limit. */
export class IdleSessions {
  readonly #clock: Clock;
  readonly #limits: IdleLimits;
  /** Sessions without requests, the one that is idle the longest first. */
  readonly #idle = new Set<ServerHttp2Session>();

  constructor(clock: Clock, limits: IdleLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  add(session: ServerHttp2Session): void {
    let open = 0;
    let timer: Timer | undefined;
    const wait = (time: number): void => {
      this.#idle.add(session);
      // A request that arrives at the same moment is sent again by the client (GOAWAY).
      timer = this.#clock.schedule(time, () => session.close());
    };
    const end = (): void => {
      timer?.cancel();
      this.#idle.delete(session);
    };
    wait(this.#limits.first);
    session.on('stream', (stream: ServerHttp2Stream) => {
      open += 1;
      end();
      stream.once('close', () => {
        open -= 1;
        if (open === 0 && !session.closed) wait(this.#limits.idle);
      });
    });
    session.once('close', end);
  }

  /** Closes the session that is idle the longest, if there is one. */
  closeOldest(): void {
    const [oldest] = this.#idle;
    if (!oldest) return;
    this.#idle.delete(oldest);
    oldest.close();
  }
}
