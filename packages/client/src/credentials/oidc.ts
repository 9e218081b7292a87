import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { Configuration, CustomFetch } from 'openid-client';
import type { Clock } from '../clock/clock.ts';
import { nameLookups } from '../dns/name-lookups.ts';
import { socketLookup } from '../dns/socket-lookup.ts';

/** Fields of the auth-provider `oidc`. (Upstream: client-go `plugin/pkg/client/auth/oidc`.) */
type OidcConfig = Readonly<Record<string, string>>;

/** Maximum size of a response of an identity provider, in bytes. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

const lookup = socketLookup((name) => nameLookups.resolve(name));

/**
 * Obtains id tokens of an OpenID provider: the token of the config until it expires, then refreshed tokens.
 *
 * It uses `openid-client`, which is loaded for the first refresh. `@kubernetes/client-node` 2.0.1 does not work for
 * this: it passes `openid-client` an issuer and responses of wrong types, and it refreshes before every request.
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
   * Returns a token other than the last one. Calls must not overlap.
   *
   * @throws if no other token can be obtained, or if `signal` aborts, which also aborts the request.
   */
  async next(signal: AbortSignal): Promise<string> {
    const first = this.#idToken;
    if (first !== undefined && this.#isCurrent(first)) {
      this.#idToken = undefined;
      return first;
    }
    return this.#refresh(signal);
  }

  async #refresh(signal: AbortSignal): Promise<string> {
    const openid = await import('openid-client');
    if (!this.#refreshToken) throw new Error('the id-token has expired or was rejected, and refresh-token is not set');
    const ca = await authorityOf(this.#config);
    const fetch = fetchTrusting(ca, signal);
    const provider = (this.#provider ??= await this.#discover(fetch));
    // The signal differs for each call.
    provider[openid.customFetch] = fetch;
    const tokens = await openid.refreshTokenGrant(provider, this.#refreshToken);
    if (!tokens.id_token) throw new Error('the provider returned no id_token for the refresh-token');
    this.#refreshToken = tokens.refresh_token ?? this.#refreshToken;
    return tokens.id_token;
  }

  async #discover(fetch: CustomFetch): Promise<Configuration> {
    const { customFetch, discovery } = await import('openid-client');
    const { 'idp-issuer-url': issuer, 'client-id': clientId, 'client-secret': secret } = this.#config;
    if (!issuer || !clientId) throw new Error('idp-issuer-url or client-id is not set');
    return discovery(new URL(issuer), clientId, secret || undefined, undefined, { [customFetch]: fetch });
  }

  #isCurrent(token: string): boolean {
    const expiry = tokenExpiry(token);
    return expiry === undefined || expiry > this.#clock.wallTime();
  }
}

/**
 * Returns when a JWT expires, in milliseconds since the Unix epoch; `undefined` if it has no expiry. Does not
 * verify the token, because the API server does.
 */
export function tokenExpiry(token: string): number | undefined {
  const [, payload = ''] = token.split('.');
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    if (typeof claims === 'object' && claims !== null && 'exp' in claims && typeof claims.exp === 'number') {
      return claims.exp * 1000;
    }
  } catch {
    // The token is not a JWT.
  }
  return undefined;
}

async function authorityOf(config: OidcConfig): Promise<string | undefined> {
  const { 'idp-certificate-authority': path, 'idp-certificate-authority-data': data } = config;
  if (data) return Buffer.from(data, 'base64').toString();
  return path ? readFile(path, 'utf8') : undefined;
}

/**
 * Returns a `fetch` that trusts the certificate authorities `ca` and limits the size of a response. The built-in
 * `fetch` has neither option.
 *
 * @param ca Default: the system's.
 */
function fetchTrusting(ca: string | undefined, aborted: AbortSignal): CustomFetch {
  const connection = { lookup, ...(ca !== undefined && { ca }) };
  return async (url, { method, headers, body, signal }) => {
    const form = await new Response(body ?? null).text();
    return new Promise((resolve, reject) => {
      const either = AbortSignal.any([aborted, ...(signal ? [signal] : [])]);
      const sent = request(url, { ...connection, method, headers, signal: either }, (response) => {
        const status = response.statusCode ?? 0;
        const contentType = response.headers['content-type'] ?? '';
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > MAX_RESPONSE_BYTES) {
            response.destroy(new Error(`the provider returned more than ${MAX_RESPONSE_BYTES} bytes`));
          }
        });
        text(response).then(
          (content) => resolve(new Response(content || null, { status, headers: { 'content-type': contentType } })),
          reject,
        );
      });
      sent.once('error', reject);
      sent.end(form);
    });
  };
}
