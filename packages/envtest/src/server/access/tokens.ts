import { randomBytes } from 'node:crypto';

/** The bearer tokens that are good now. */
export class Tokens {
  readonly #tokens = new Set<string>();

  /** A new token. */
  issue(): string {
    const token = randomBytes(32).toString('base64url');
    this.add(token);
    return token;
  }

  add(token: string): void {
    this.#tokens.add(token);
  }

  /** Requests with this token are refused from now on. Answers that have begun, watches among them, go on. */
  revoke(token: string): void {
    this.#tokens.delete(token);
  }

  /** @param header the value of `authorization`. */
  admits(header: string | undefined): boolean {
    const [, token] = /^Bearer (.+)$/i.exec(header ?? '') ?? [];
    return token !== undefined && this.#tokens.has(token);
  }

  get first(): string | undefined {
    return this.#tokens.values().next().value;
  }
}
