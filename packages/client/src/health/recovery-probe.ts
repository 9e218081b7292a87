import type { Clock, Timer } from '../clock/clock.ts';
import { orAborted } from '../clock/or-aborted.ts';
import { HEALTH_CHECK_TIMEOUT } from './health-check.ts';

/** The first successful probe after a call of {@link Recovery.recovered}. */
export interface Recovered {
  /**
   * How long probes failed before this success, in milliseconds. 0 if no probe failed: the server is healthy, and the
   * caller's request failed for another reason.
   */
  readonly outage: number;
}

/** Notifies callers when a cluster responds again. */
export interface Recovery {
  /**
   * Resolves at the first successful probe that starts after the call. Probes run only while a caller waits, and all
   * callers share them.
   *
   * @throws the signal's reason if `signal` aborts first.
   */
  recovered(signal: AbortSignal): Promise<Recovered>;
}

export interface RecoveryProbeOptions {
  /** One health check. Rejects if the cluster is not healthy. */
  readonly check: (call: { readonly signal: AbortSignal; readonly timeout: number }) => Promise<unknown>;
  readonly clock: Clock;
  /** Numbers in [0, 1), for jitter. Default: `Math.random`. */
  readonly random?: () => number;
}

/** Time between the starts of two probes during the first minute of an outage, in milliseconds. */
const FIRST_PERIOD = 1_000;
const FIRST_MINUTE = 60_000;
/**
 * Time between the starts of two probes after the first minute, in milliseconds: random in this range, so that the
 * clusters of a fleet are not all probed at the same time.
 */
const LATER_PERIOD = { min: 5_000, max: 8_000 };

/**
 * Probes one cluster while a caller waits for it to recover: every second in the first minute of an outage, every 5 to
 * 8 s later. At most one probe is in flight, and each has a deadline of 5 s.
 */
export class RecoveryProbe implements Recovery {
  readonly #options: Required<RecoveryProbeOptions>;
  /** Waiting callers, with the number of the first probe that counts for each. */
  readonly #waiting = new Map<PromiseWithResolvers<Recovered>, number>();
  /** Number of probes started so far. */
  #probes = 0;
  /** Start of the latest probe. */
  #startedAt = -Infinity;
  /** When probes began to fail; `undefined` if the latest one succeeded. */
  #failingSince: number | undefined;
  /** Timer of the next probe. */
  #timer: Timer | undefined;
  /** Controller of the probe in flight. */
  #current: AbortController | undefined;

  constructor({ check, clock, random = Math.random }: RecoveryProbeOptions) {
    this.#options = { check, clock, random };
  }

  async recovered(signal: AbortSignal): Promise<Recovered> {
    signal.throwIfAborted();
    // After a minute without a waiting caller, the outage counts as over.
    if (this.#options.clock.now() - this.#startedAt > FIRST_MINUTE) this.#failingSince = undefined;
    const waiter = Promise.withResolvers<Recovered>();
    this.#waiting.set(waiter, this.#probes + 1);
    this.#schedule();
    try {
      return await orAborted(waiter.promise, signal);
    } finally {
      this.#waiting.delete(waiter);
      if (this.#waiting.size === 0) this.#stop();
    }
  }

  #schedule(): void {
    if (this.#waiting.size === 0 || this.#timer || this.#current) return;
    const wait = this.#startedAt + this.#period() - this.#options.clock.now();
    this.#timer = this.#options.clock.schedule(Math.max(0, wait), () => void this.#probe());
  }

  /** Cancels the timer and the request. */
  #stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#current?.abort();
  }

  async #probe(): Promise<void> {
    const { check, clock } = this.#options;
    this.#timer = undefined;
    this.#startedAt = clock.now();
    const number = ++this.#probes;
    const current = (this.#current = new AbortController());
    const succeeded = await check({ signal: current.signal, timeout: HEALTH_CHECK_TIMEOUT }).then(
      () => true,
      () => false,
    );
    this.#current = undefined;
    if (succeeded) {
      const outage = this.#failingSince === undefined ? 0 : clock.now() - this.#failingSince;
      this.#failingSince = undefined;
      for (const [{ resolve }, first] of this.#waiting) if (first <= number) resolve({ outage });
    } else if (!current.signal.aborted) {
      this.#failingSince ??= this.#startedAt;
    }
    // Notified callers are removed in a later microtask; the last one cancels the timer.
    this.#schedule();
  }

  #period(): number {
    const { clock, random } = this.#options;
    if (this.#failingSince === undefined || clock.now() - this.#failingSince < FIRST_MINUTE) return FIRST_PERIOD;
    return LATER_PERIOD.min + random() * (LATER_PERIOD.max - LATER_PERIOD.min);
  }
}
