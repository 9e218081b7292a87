import type { KeyObject } from 'node:crypto';
import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import * as z from 'zod';

/** Issuer of the tokens of service accounts, as in a real server by default. */
export const ISSUER = 'https://kubernetes.default.svc';

/** Result of the verification of a token. */
export type Verification =
  | { readonly claims: unknown; readonly fault?: undefined }
  /** The token names this issuer, but the key did not sign it. The fault is worded as by a real server. */
  | { readonly claims?: undefined; readonly fault: string };

const HEADER = z.looseObject({ alg: z.string(), kid: z.string().default('') });
const ISSUED = z.looseObject({ iss: z.string() });

/** The key that signs tokens of service accounts. A real server uses the key of its certificate by default, too. */
export class SigningKey {
  readonly issuer: string;
  readonly #key: KeyObject;
  readonly #publicKey: KeyObject;
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
    this.#publicKey = createPublicKey(this.#key);
    const der = this.#publicKey.export({ type: 'spki', format: 'der' });
    this.#id = createHash('sha256').update(der).digest('base64url');
  }

  get algorithm(): string {
    return this.#algorithm;
  }

  /** Returns a JSON Web Token with these claims and the issuer. */
  sign(claims: Readonly<Record<string, unknown>>): string {
    const header = { alg: this.#algorithm, kid: this.#id };
    const signed = [header, { ...claims, iss: this.issuer }]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const signature = sign('sha256', Buffer.from(signed), { key: this.#key, dsaEncoding: 'ieee-p1363' });
    return `${signed}.${signature.toString('base64url')}`;
  }

  /** Verifies a JSON Web Token. Returns `undefined` if the text is none, or names another issuer. */
  verify(token: string): Verification | undefined {
    const [head = '', body = '', tail, ...rest] = token.split('.');
    if (tail === undefined || rest.length > 0) return undefined;
    const header = HEADER.safeParse(decoded(head)).data;
    const claims = decoded(body);
    if (!header || !BASE64.test(tail) || ISSUED.safeParse(claims).data?.iss !== this.issuer) return undefined;
    if (header.kid !== '' && header.kid !== this.#id) return { fault: 'invalid signature, no keys found' };
    const key = { key: this.#publicKey, dsaEncoding: 'ieee-p1363' } as const;
    const isSigned =
      header.alg === this.#algorithm &&
      verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(tail, 'base64url'));
    return isSigned ? { claims } : { fault: 'go-jose/go-jose: error in cryptographic primitive' };
  }

  /** The public key as a JSON Web Key Set (RFC 7517). */
  get keySet(): object {
    const { kty, ...parameters } = this.#publicKey.export({ format: 'jwk' });
    return { keys: [{ use: 'sig', kty, kid: this.#id, alg: this.#algorithm, ...parameters }] };
  }
}

const BASE64 = /^[\w-]*$/u;

/** Returns the JSON of a part of a token, or `undefined` if it has none. */
function decoded(part: string): unknown {
  if (!BASE64.test(part)) return undefined;
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    return undefined;
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
