import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { ADMIN, userSchema } from './user.ts';
import type { User } from './user.ts';

export const tokenSchema = z.strictObject({
  token: z.string(),
  user: userSchema.default(ADMIN),
  /** Until when it is good, in milliseconds since 1970. Default: for ever. */
  expires: z.number().optional(),
});

/** A bearer token, and whose it is. */
export type Token = z.infer<typeof tokenSchema>;

/** The bearer tokens of one cluster. */
export class Tokens {
  readonly #tokens = new Map<string, Token>();

  /** A new token that is good until it is revoked. */
  issue(user: User): Token {
    const token = { token: randomBytes(32).toString('base64url'), user };
    this.add(token);
    return token;
  }

  /**
   * A new token that ends, in the form of a JWT, so that clients can read from it when.
   *
   * @param expires in milliseconds since 1970.
   */
  issueExpiring(user: User, { expires, audiences }: { expires: number; audiences: readonly string[] }): Token {
    const claims = {
      aud: audiences,
      exp: Math.floor(expires / 1000),
      iat: Math.floor(Date.now() / 1000),
      sub: user.name,
    };
    const [head, body] = [{ alg: 'none', typ: 'JWT' }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    const token = { token: `${head}.${body}.${randomBytes(32).toString('base64url')}`, user, expires };
    this.add(token);
    return token;
  }

  add(token: Token): void {
    this.#tokens.set(token.token, token);
  }

  /** Requests with this token are refused from now on. Answers that have begun, watches among them, go on. */
  revoke(token: string): void {
    this.#tokens.delete(token);
  }

  /** Whose token it is, or `undefined` when it is none, or no longer. @param now in milliseconds since 1970. */
  userOf(token: string, now = Date.now()): User | undefined {
    const found = this.#tokens.get(token);
    return found && now < (found.expires ?? Infinity) ? found.user : undefined;
  }

  get first(): string | undefined {
    return this.#tokens.values().next().value?.token;
  }
}
