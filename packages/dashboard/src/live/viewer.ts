import type { ServerResponse } from 'node:http';
import type { Clock, Timer } from '@mcr/core';
import type { Revisions } from './revisions.ts';

/**
 * Time after which the event stream ends, in milliseconds. The page connects again, and its token is checked again, so that
 * a revoked one is of no use for longer.
 */
const MAX_AGE = 600_000;
/** Time after which a viewer that reads nothing is disconnected, in milliseconds. */
const MAX_STALL = 30_000;

export interface ViewerOptions {
  readonly response: ServerResponse;
  readonly rows: Revisions;
  readonly clock: Clock;
  /** Called once when the stream has ended. */
  readonly onEnd: (viewer: Viewer) => void;
}

/** The event stream of one open page. At most one event waits in its socket. */
export class Viewer {
  readonly #options: ViewerOptions;
  /** Revision of the rows that were sent. */
  #revision = -1;
  /** Set while the socket is full. */
  #stall: Timer | undefined;
  #hasEnded = false;

  constructor(options: ViewerOptions) {
    this.#options = options;
    const { response, clock, onEnd } = options;
    const age = clock.schedule(MAX_AGE, () => response.end());
    response.once('close', () => {
      this.#hasEnded = true;
      this.#stall?.cancel();
      age.cancel();
      onEnd(this);
    });
    response.on('drain', () => {
      this.#stall?.cancel();
      this.#stall = undefined;
      this.update();
    });
    // The second header keeps nginx from holding events back.
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
  }

  /** Sends the rows that have changed, until the socket is full. The rest follows when it has drained. */
  update(): void {
    while (this.#isReady) {
      const chunk = this.#options.rows.after(this.#revision);
      if (!chunk) return;
      this.#revision = chunk.revision;
      this.#write(chunk.text);
    }
  }

  /** Sends an event, or drops it if the socket is full: the next one replaces it. */
  send(text: string): void {
    if (this.#isReady) this.#write(text);
  }

  get #isReady(): boolean {
    return !this.#stall && !this.#hasEnded && !this.#options.response.writableEnded;
  }

  #write(text: string): void {
    const { response, clock } = this.#options;
    if (!response.write(text)) this.#stall = clock.schedule(MAX_STALL, () => response.destroy());
  }
}
