import { randomBytes, randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { BoundObject } from './service-account-token.ts';
import { boundObjectSchema } from './service-account-token.ts';
import type { SigningKey } from './signing-key.ts';
import { ADMIN, userSchema } from './user.ts';
import type { User } from './user.ts';

export const tokenSchema = z.strictObject({
  token: z.string(),
  user: userSchema.default(ADMIN),
  /** Expiry, in milliseconds since 1970. Default: never. */
  expires: z.number().optional(),
  /** Servers that accept the token. Default: this one. */
  audiences: z.array(z.string()).optional(),
  /** Object without which the token is invalid. Default: none. */
  bound: boundObjectSchema.optional(),
});

/** A bearer token and its user. */
export type Token = z.infer<typeof tokenSchema>;

export interface ExpiringToken {
  readonly key: SigningKey;
  readonly expires: number;
  readonly audiences: readonly string[];
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Object without which the token is invalid. Default: none. */
  readonly bound?: BoundObject | undefined;
}

/** Attribute of a user that names its token. */
const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';

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
   * Issues a token that expires, as a JWT, from which clients can read the expiry. Its user has the id of the token as an
   * attribute.
   *
   * @param expires in milliseconds since 1970.
   * @param claims additional claims.
   */
  issueExpiring(user: User, { key, expires, audiences, claims = {}, bound }: ExpiringToken): Token {
    const now = Math.floor(Date.now() / 1000);
    const jti = randomUUID();
    const signed = key.sign({
      aud: audiences,
      exp: Math.floor(expires / 1000),
      iat: now,
      jti,
      ...claims,
      nbf: now,
      sub: user.name,
    });
    const extra = { [CREDENTIAL_ID]: [`JTI=${jti}`], ...user.extra };
    const owner = { ...user, extra };
    const token = { token: signed, user: owner, expires, audiences: [...audiences], ...(bound && { bound }) };
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

  /** Returns a token, which may have expired, or `undefined` if it is unknown or revoked. */
  find(token: string): Token | undefined {
    return this.#tokens.get(token);
  }

  get first(): string | undefined {
    return this.#tokens.values().next().value?.token;
  }
}
