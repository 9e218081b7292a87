import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { ADMIN, userSchema } from './user.ts';
import type { User } from './user.ts';

export const tokenSchema = z.strictObject({ token: z.string(), user: userSchema.default(ADMIN) });

/** A bearer token that is a random text, and its user. */
export type Token = z.infer<typeof tokenSchema>;

/** The bearer tokens of one cluster, except those of service accounts, which need no record: the cluster signs them. */
export class Tokens {
  readonly #tokens = new Map<string, Token>();
  /** Revoked tokens of service accounts. */
  readonly #revoked = new Set<string>();

  /** Issues a token that is valid until it is revoked. */
  issue(user: User): Token {
    const token = { token: randomBytes(32).toString('base64url'), user };
    this.add(token);
    return token;
  }

  add(token: Token): void {
    this.#tokens.set(token.token, token);
  }

  /** Refuses requests with this token from now on. Responses that have begun, such as watches, continue. */
  revoke(token: string): void {
    if (!this.#tokens.delete(token)) this.#revoked.add(token);
  }

  /** Reports whether a token of a service account was revoked. */
  isRevoked(token: string): boolean {
    return this.#revoked.has(token);
  }

  /** Returns a token, or `undefined` if it is unknown or revoked. */
  find(token: string): Token | undefined {
    return this.#tokens.get(token);
  }

  get first(): string | undefined {
    return this.#tokens.values().next().value?.token;
  }
}
