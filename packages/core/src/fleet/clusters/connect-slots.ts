import type { Clock } from '@mcr/client';

export interface ConnectSlotsOptions {
  /** How many hold a slot at once. */
  readonly limit: number;
  /** For how long, in milliseconds. */
  readonly holdFor: number;
  readonly clock: Clock;
}

/** Gives a slot back. Harmless when called again. */
export type ReleaseSlot = () => void;

/**
 * Limits how many clusters are connected to at once, so that a fleet does not begin with a thousand TLS handshakes.
 * A slot is taken back from a cluster that keeps it for long: what waits for a black hole costs nothing, and must not
 * make the healthy clusters wait.
 */
export class ConnectSlots {
  readonly #clock: Clock;
  readonly #holdFor: number;
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor({ limit, holdFor, clock }: ConnectSlotsOptions) {
    this.#free = limit;
    this.#holdFor = holdFor;
    this.#clock = clock;
  }

  /** @throws the signal's reason, when `signal` aborts first. */
  async acquire(signal: AbortSignal): Promise<ReleaseSlot> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);

    let held = true;
    const release = () => {
      if (!held) return;
      held = false;
      timer.cancel();
      this.#release();
    };
    const timer = this.#clock.schedule(this.#holdFor, release);
    return release;
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onTurn = () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = () => {
        this.#waiting.delete(onTurn);
        reject(signal.reason as Error);
      };
      this.#waiting.add(onTurn);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Hands the slot to whoever has waited longest. */
  #release(): void {
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      next();
    } else {
      this.#free += 1;
    }
  }
}
