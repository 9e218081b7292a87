import type { Credentials, Identity } from './identity.ts';

/** An identity that can be replaced, and that notifies about each change of its credentials. */
export class RotatingIdentity {
  readonly #onCredentials: (credentials: Credentials) => void;
  #identity: Identity;
  #latest: Credentials | undefined;

  /** @param onCredentials called with new credentials before they are returned to a caller. */
  constructor(identity: Identity, onCredentials: (credentials: Credentials) => void) {
    this.#identity = identity;
    this.#onCredentials = onCredentials;
  }

  /** The credentials of the current identity, if {@link current} has returned them and they never change. */
  get constant(): Credentials | undefined {
    const { constant } = this.#identity;
    return constant === this.#latest ? constant : undefined;
  }

  /**
   * Returns the credentials of the current identity. If it is replaced while they are obtained, returns the credentials
   * of the new identity.
   *
   * @throws {TransportError} see {@link Identity.current}.
   */
  async current(signal: AbortSignal): Promise<Credentials> {
    for (;;) {
      const identity = this.#identity;
      try {
        const credentials = await identity.current(signal);
        if (identity === this.#identity) return this.#announced(credentials);
      } catch (error) {
        if (identity === this.#identity || signal.aborted) throw error;
      }
    }
  }

  /** @see Identity.rejected */
  rejected(credentials: Credentials): void {
    this.#identity.rejected(credentials);
  }

  /** @see Identity.tlsFailed */
  tlsFailed(): void {
    this.#identity.tlsFailed();
  }

  /** Replaces the identity. Credentials of the previous one are not returned afterwards. */
  replace(identity: Identity): void {
    this.#identity.close();
    this.#identity = identity;
  }

  close(): void {
    this.#identity.close();
  }

  #announced(credentials: Credentials): Credentials {
    if (credentials !== this.#latest) {
      this.#latest = credentials;
      this.#onCredentials(credentials);
    }
    return credentials;
  }
}
