import { backoffDelay } from '../clock/backoff.ts';
import type { Clock } from '../clock/clock.ts';
import { orAborted } from '../clock/or-aborted.ts';
import type { Credential, CredentialSource } from './credential-source.ts';

/** The part of their life for which credentials are used before others are asked for. */
const SHARE_OF_LIFE = 0.8;
/** No credentials are renewed sooner than this, in milliseconds, however short they live. */
const SHORTEST_LIFE = 1_000;
/**
 * The pause after askings in vain, in milliseconds, from the second in a row on: a plugin that does not work must not
 * start a process for each request.
 */
const PAUSE = { base: 1_000, max: 30_000, jitter: 0 };

export interface Obtained {
  readonly credential: Credential;
  /** In milliseconds. Default: without end. */
  readonly lifetime?: number;
}

interface Held {
  readonly credential: Credential;
  /** Instants of the clock. */
  readonly renewAt: number;
  readonly expiresAt: number;
}

/**
 * Credentials that cost something to obtain: asked for once by however many requests, kept for 80 % of their life, and
 * asked for again once when the server rejects them. While asking fails, those that are still good stay in use.
 */
export class RenewingSource implements CredentialSource {
  readonly #obtain: (signal: AbortSignal) => Promise<Obtained>;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  #held: Held | undefined;
  #renewing: Promise<Credential> | undefined;
  /** Why the latest asking failed; `undefined` since one went well. */
  #failure: Error | undefined;
  /** Askings in a row that failed, or gave what was rejected. */
  #vain = 0;
  #vainAt = -Infinity;

  /** @param obtain ends with its signal, and by a deadline of its own. */
  constructor(obtain: (signal: AbortSignal) => Promise<Obtained>, clock: Clock) {
    this.#obtain = obtain;
    this.#clock = clock;
  }

  current(signal: AbortSignal): Promise<Credential> {
    const now = this.#clock.now();
    if (this.#held && now < this.#held.renewAt) return Promise.resolve(this.#held.credential);
    if (now < this.#vainAt + backoffDelay(PAUSE, this.#vain - 1)) return this.#lastResort();
    this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined));
    return orAborted(this.#renewing, signal);
  }

  rejected(credential: Credential): void {
    // Of many requests with the same credentials only the first says anything new.
    if (credential !== this.#held?.credential || this.#held.expiresAt === -Infinity) return;
    this.#held = { ...this.#held, renewAt: -Infinity, expiresAt: -Infinity };
    this.#inVain();
  }

  close(): void {
    this.#closing.abort(new Error('credentials are not needed any more'));
  }

  async #renew(): Promise<Credential> {
    try {
      const { credential, lifetime = Infinity } = await this.#obtain(this.#closing.signal);
      const now = this.#clock.now();
      const renewAt = now + Math.max(SHARE_OF_LIFE * lifetime, SHORTEST_LIFE);
      this.#held = { credential, renewAt, expiresAt: now + lifetime };
      this.#failure = undefined;
      return credential;
    } catch (error) {
      this.#failure = error as Error;
      this.#inVain();
      return this.#lastResort();
    }
  }

  #inVain(): void {
    const now = this.#clock.now();
    this.#vain = now - this.#vainAt > 2 * PAUSE.max ? 1 : this.#vain + 1;
    this.#vainAt = now;
  }

  /** What is used while nothing else may be asked for, or there is nothing to be had. */
  #lastResort(): Promise<Credential> {
    const held = this.#held;
    if (held && (this.#clock.now() < held.expiresAt || !this.#failure)) return Promise.resolve(held.credential);
    return Promise.reject(this.#failure ?? new Error('there are no credentials'));
  }
}
