import { backoffDelay } from '../clock/backoff.ts';
import type { Clock } from '../clock/clock.ts';
import { orAborted } from '../clock/or-aborted.ts';
import type { Credential, CredentialSource } from './credential-source.ts';

/** Fraction of their lifetime after which credentials are renewed. */
const RENEWAL_FRACTION = 0.8;
/** Minimum time until credentials are renewed, in milliseconds, even if their lifetime is shorter. */
const MIN_RENEWAL_PERIOD = 1_000;
/**
 * Backoff in milliseconds from the second consecutive failure on, so that a failing plugin does not start a process for
 * each request.
 */
const BACKOFF = { base: 1_000, max: 30_000, jitter: 0 };

export interface Obtained {
  readonly credential: Credential;
  /** In milliseconds. Default: the credential does not expire. */
  readonly lifetime?: number;
}

interface Held {
  readonly credential: Credential;
  /** Time of renewal, by the clock. */
  readonly renewAt: number;
  /** Time of expiry, by the clock. */
  readonly expiresAt: number;
}

/**
 * Caches credentials that are expensive to obtain. Concurrent requests share one attempt. Credentials are renewed after
 * 80 % of their lifetime, and once when the server rejects them. If renewal fails, they are used until they expire.
 */
export class RenewingSource implements CredentialSource {
  readonly #obtain: (signal: AbortSignal) => Promise<Obtained>;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  #held: Held | undefined;
  #renewing: Promise<Credential> | undefined;
  /** Error of the latest attempt; `undefined` if it succeeded. */
  #failure: Error | undefined;
  /** Number of consecutive attempts that failed, or whose credentials were rejected. */
  #failures = 0;
  #failedAt = -Infinity;

  /** @param obtain obtains credentials. It must settle when its signal aborts, and have its own deadline. */
  constructor(obtain: (signal: AbortSignal) => Promise<Obtained>, clock: Clock) {
    this.#obtain = obtain;
    this.#clock = clock;
  }

  current(signal: AbortSignal): Promise<Credential> {
    const now = this.#clock.now();
    if (this.#held && now < this.#held.renewAt) return Promise.resolve(this.#held.credential);
    if (now < this.#failedAt + backoffDelay(BACKOFF, this.#failures - 1)) return this.#fallback();
    this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined));
    return orAborted(this.#renewing, signal);
  }

  rejected(credential: Credential): void {
    // Many requests may report the same credentials; only the first report counts.
    if (credential !== this.#held?.credential || this.#held.expiresAt === -Infinity) return;
    this.#held = { ...this.#held, renewAt: -Infinity, expiresAt: -Infinity };
    this.#countFailure();
  }

  close(): void {
    this.#closing.abort(new Error('the credential source was closed'));
  }

  async #renew(): Promise<Credential> {
    try {
      const { credential, lifetime = Infinity } = await this.#obtain(this.#closing.signal);
      const now = this.#clock.now();
      const renewAt = now + Math.max(RENEWAL_FRACTION * lifetime, MIN_RENEWAL_PERIOD);
      this.#held = { credential, renewAt, expiresAt: now + lifetime };
      this.#failure = undefined;
      return credential;
    } catch (error) {
      this.#failure = error as Error;
      this.#countFailure();
      return this.#fallback();
    }
  }

  #countFailure(): void {
    const now = this.#clock.now();
    this.#failures = now - this.#failedAt > 2 * BACKOFF.max ? 1 : this.#failures + 1;
    this.#failedAt = now;
  }

  /** Returns the held credentials if they are usable, during backoff or after a failure. */
  #fallback(): Promise<Credential> {
    const held = this.#held;
    if (held && (this.#clock.now() < held.expiresAt || !this.#failure)) return Promise.resolve(held.credential);
    return Promise.reject(this.#failure ?? new Error('no credentials available'));
  }
}
