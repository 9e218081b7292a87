import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { SigningKey } from './signing-key.ts';
import { ADMIN, userSchema } from './user.ts';
import type { User } from './user.ts';

export const tokenSchema = z.strictObject({
  token: z.string(),
  user: userSchema.default(ADMIN),
  /** Expiry, in milliseconds since 1970. Default: never. */
  expires: z.number().optional(),
});

/** A bearer token and its user. */
export type Token = z.infer<typeof tokenSchema>;

export interface ExpiringToken {
  readonly key: SigningKey;
  readonly expires: number;
  readonly audiences: readonly string[];
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** The bearer tokens of one cluster. */
export class Tokens {
  readonly #tokens = new Map<string, Token>();

  /** Issues a token that is valid until it is revoked. */
  issue(user: User): Token {
    const token = { token: randomBytes(32).toString('base64url'), user };
    this.add(token);
    return token;
  }

  /**
   * Issues a token that expires, as a JWT, from which clients can read the expiry.
   *
   * @param expires in milliseconds since 1970.
   * @param claims additional claims.
   */
  issueExpiring(user: User, { key, expires, audiences, claims = {} }: ExpiringToken): Token {
    const now = Math.floor(Date.now() / 1000);
    const signed = key.sign({
      aud: audiences,
      exp: Math.floor(expires / 1000),
      iat: now,
      ...claims,
      nbf: now,
      sub: user.name,
    });
    const token = { token: signed, user, expires };
    this.add(token);
    return token;
  }

  add(token: Token): void {
    this.#tokens.set(token.token, token);
  }

  /** Refuses requests with this token from now on. Responses that have begun, such as watches, continue. */
  revoke(token: string): void {
    this.#tokens.delete(token);
  }

  /**
   * Returns the user of a token, or `undefined` if it is unknown, revoked or expired.
   *
   * @param now in milliseconds since 1970.
   */
  userOf(token: string, now = Date.now()): User | undefined {
    const found = this.#tokens.get(token);
    return found && now < (found.expires ?? Infinity) ? found.user : undefined;
  }

  get first(): string | undefined {
    return this.#tokens.values().next().value?.token;
  }
}
