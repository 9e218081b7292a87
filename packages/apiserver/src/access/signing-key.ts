import type { KeyObject } from 'node:crypto';
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';

/** Issuer of the tokens of service accounts, as in a real server by default. */
export const ISSUER = 'https://kubernetes.default.svc';

/** Claims that a token has besides its issuer. Times are in seconds since 1970. */
export interface TokenClaims {
  readonly sub: string;
  readonly aud: readonly string[];
  readonly iat: number;
  readonly nbf: number;
  readonly exp: number;
  /** Id of the token. */
  readonly jti: string;
  readonly [claim: string]: unknown;
}

/** The key that signs tokens of service accounts. A real server uses the key of its certificate by default, too. */
export class SigningKey {
  readonly issuer: string;
  readonly #key: KeyObject;
  readonly #id: string;
  readonly #algorithm: 'ES256' | 'RS256';

  /**
   * @param key an ECDSA key on P-256, or an RSA key; text is PEM.
   * @param issuer issuer of the tokens.
   * @throws {Error} if the key has another type.
   */
  constructor(key: string | KeyObject, issuer = ISSUER) {
    this.issuer = issuer;
    this.#key = typeof key === 'string' ? createPrivateKey(key) : key;
    this.#algorithm = algorithmOf(this.#key);
    const der = createPublicKey(this.#key).export({ type: 'spki', format: 'der' });
    this.#id = createHash('sha256').update(der).digest('base64url');
  }

  get algorithm(): string {
    return this.#algorithm;
  }

  /** Returns a JSON Web Token. */
  sign(claims: TokenClaims): string {
    const header = { alg: this.#algorithm, kid: this.#id };
    const signed = [header, { ...claims, iss: this.issuer }]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const signature = sign('sha256', Buffer.from(signed), { key: this.#key, dsaEncoding: 'ieee-p1363' });
    return `${signed}.${signature.toString('base64url')}`;
  }

  /** The public key as a JSON Web Key Set (RFC 7517). */
  get keySet(): object {
    const { kty, ...parameters } = createPublicKey(this.#key).export({ format: 'jwk' });
    return { keys: [{ use: 'sig', kty, kid: this.#id, alg: this.#algorithm, ...parameters }] };
  }
}

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): 'ES256' | 'RS256' {
  if (type === 'rsa') return 'RS256';
  if (type === 'ec' && details?.namedCurve === 'prime256v1') return 'ES256';
  throw new Error('the key that signs tokens of service accounts must be an ECDSA key on P-256 or an RSA key');
}

/** Returns the discovery document of the issuer (OpenID Connect Discovery 1.0). */
export function issuerDocument({ issuer, algorithm }: SigningKey, port: number): object {
  return {
    issuer,
    jwks_uri: `https://127.0.0.1:${port}/openid/v1/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [algorithm],
  };
}
