import type { Credentials, Identity } from './identity.ts';

/** An identity that can be replaced by another one, and tells of each change of its credentials. */
export class RotatingIdentity {
  readonly #onCredentials: (credentials: Credentials) => void;
  #identity: Identity;
  #latest: Credentials | undefined;

  /** @param onCredentials is called with each that are new, before anybody gets them. */
  constructor(identity: Identity, onCredentials: (credentials: Credentials) => void) {
    this.#identity = identity;
    this.#onCredentials = onCredentials;
  }

  /**
   * The credentials of the identity that there is when they are there.
   *
   * @throws as {@link Identity.current}.
   */
  async current(signal: AbortSignal): Promise<Credentials> {
    for (;;) {
      const identity = this.#identity;
      try {
        const credentials = await identity.current(signal);
        if (identity === this.#identity) return this.#taken(credentials);
      } catch (error) {
        if (identity === this.#identity || signal.aborted) throw error;
      }
    }
  }

  /** @see Identity.rejected */
  rejected(credentials: Credentials): void {
    this.#identity.rejected(credentials);
  }

  /** @see Identity.distrusted */
  distrusted(): void {
    this.#identity.distrusted();
  }

  /** From now on nothing of the former identity is given to anybody. */
  replace(identity: Identity): void {
    this.#identity.close();
    this.#identity = identity;
  }

  close(): void {
    this.#identity.close();
  }

  #taken(credentials: Credentials): Credentials {
    if (credentials !== this.#latest) {
      this.#latest = credentials;
      this.#onCredentials(credentials);
    }
    return credentials;
  }
}
