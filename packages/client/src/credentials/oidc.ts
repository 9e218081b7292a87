import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { Configuration, CustomFetch } from 'openid-client';
import type { Clock } from '../clock/clock.ts';
import { nameLookups } from '../dns/name-lookups.ts';
import { socketLookup } from '../dns/socket-lookup.ts';

/** The fields of the auth-provider `oidc`. (Upstream: client-go `plugin/pkg/client/auth/oidc`.) */
type OidcConfig = Readonly<Record<string, string>>;

/** Bytes of an answer of an identity provider, at most. */
const LARGEST_ANSWER = 1024 * 1024;

const lookup = socketLookup((name) => nameLookups.resolve(name));

/**
 * The id tokens of an OpenID provider: the one of the config while it is good, then those that its refresh tokens give.
 *
 * With `openid-client`, loaded for the first refresh, and not with `@kubernetes/client-node`: version 2.0.1 of that hands
 * it an issuer and answers of types that it refuses, and refreshes before every request.
 */
export class OidcTokens {
  readonly #config: OidcConfig;
  readonly #clock: Clock;
  #idToken: string | undefined;
  #refreshToken: string | undefined;
  #provider: Configuration | undefined;

  constructor(config: OidcConfig, clock: Clock) {
    this.#config = config;
    this.#clock = clock;
    this.#idToken = config['id-token'];
    this.#refreshToken = config['refresh-token'];
  }

  /**
   * Another token than the last one, where there is a way to get one. Asked for once at a time.
   *
   * @throws when there is none, and when `signal` aborts: nothing goes on then.
   */
  async next(signal: AbortSignal): Promise<string> {
    const first = this.#idToken;
    if (first !== undefined && this.#livesOn(first)) {
      this.#idToken = undefined;
      return first;
    }
    return this.#refresh(signal);
  }

  async #refresh(signal: AbortSignal): Promise<string> {
    const openid = await import('openid-client');
    if (!this.#refreshToken)
      throw new Error('the id-token has expired or is not accepted, and there is no refresh-token');
    const ca = await authorityOf(this.#config);
    const fetch = fetchTrusting(ca, signal);
    const provider = (this.#provider ??= await this.#discover(fetch));
    // The signal is another one each time.
    provider[openid.customFetch] = fetch;
    const tokens = await openid.refreshTokenGrant(provider, this.#refreshToken);
    if (!tokens.id_token) throw new Error('the provider gave no id_token for the refresh-token');
    this.#refreshToken = tokens.refresh_token ?? this.#refreshToken;
    return tokens.id_token;
  }

  async #discover(fetch: CustomFetch): Promise<Configuration> {
    const { customFetch, discovery } = await import('openid-client');
    const { 'idp-issuer-url': issuer, 'client-id': clientId, 'client-secret': secret } = this.#config;
    if (!issuer || !clientId) throw new Error('idp-issuer-url or client-id is not set');
    return discovery(new URL(issuer), clientId, secret || undefined, undefined, { [customFetch]: fetch });
  }

  #livesOn(token: string): boolean {
    const end = endOfToken(token);
    return end === undefined || end > this.#clock.wallTime();
  }
}

/** When a JWT ends, in milliseconds since the Unix epoch. Nothing is verified: that is for the API server. */
export function endOfToken(token: string): number | undefined {
  const [, payload = ''] = token.split('.');
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    if (typeof claims === 'object' && claims !== null && 'exp' in claims && typeof claims.exp === 'number') {
      return claims.exp * 1000;
    }
  } catch {
    // A token that is no JWT.
  }
  return undefined;
}

async function authorityOf(config: OidcConfig): Promise<string | undefined> {
  const { 'idp-certificate-authority': path, 'idp-certificate-authority-data': data } = config;
  if (data) return Buffer.from(data, 'base64').toString();
  return path ? readFile(path, 'utf8') : undefined;
}

/**
 * `fetch` knows no authorities of one request, and no limit of an answer.
 *
 * @param ca Default: the system's.
 */
function fetchTrusting(ca: string | undefined, ending: AbortSignal): CustomFetch {
  const connection = { lookup, ...(ca !== undefined && { ca }) };
  return async (url, { method, headers, body, signal }) => {
    const form = await new Response(body ?? null).text();
    return new Promise((resolve, reject) => {
      const ends = AbortSignal.any([ending, ...(signal ? [signal] : [])]);
      const sent = request(url, { ...connection, method, headers, signal: ends }, (answer) => {
        const status = answer.statusCode ?? 0;
        const contentType = answer.headers['content-type'] ?? '';
        let size = 0;
        answer.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > LARGEST_ANSWER)
            answer.destroy(new Error(`the provider answered more than ${LARGEST_ANSWER} bytes`));
        });
        text(answer).then(
          (content) => resolve(new Response(content || null, { status, headers: { 'content-type': contentType } })),
          reject,
        );
      });
      sent.once('error', reject);
      sent.end(form);
    });
  };
}
