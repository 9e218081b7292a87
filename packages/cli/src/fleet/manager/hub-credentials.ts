import { type ApiClient, Secret, ServiceAccount, TokenRequest } from '@mcr/core';
import type { Dialer } from '@mcr/core/provider';
import type { ManagerOptions } from './manager-options.ts';

/** Lifetime of a token that is requested, in seconds: the shortest that API servers accept. */
const LIFETIME = 600;
/** Age at which a token is requested again, in milliseconds. */
const RENEW_AFTER = 300_000;
const CA_KEY = 'ca.crt';

export type HubCredentialsOptions = Pick<ManagerOptions, 'serviceAccount' | 'sendToken' | 'caSecret'> & {
  readonly namespace: string;
};

/** Gets the token and the CA certificates for a manager from the hub. */
export class HubCredentials {
  readonly #client: ApiClient;
  readonly #dialer: Dialer;
  readonly #options: HubCredentialsOptions;
  #requested: { readonly token: string; readonly at: number } | undefined;

  constructor(client: ApiClient, dialer: Dialer, options: HubCredentialsOptions) {
    this.#client = client;
    this.#dialer = dialer;
    this.#options = options;
  }

  /** Returns the bearer token for the manager, or `undefined` if none is wanted. @throws {Error} if there is none. */
  async token(signal: AbortSignal): Promise<string | undefined> {
    const { serviceAccount, sendToken = false } = this.#options;
    if (serviceAccount !== undefined) return this.#requestToken(serviceAccount, signal);
    return sendToken ? this.#ownToken(signal) : undefined;
  }

  /** Returns the CA certificates of the manager, or `undefined` if no Secret is named. @throws {Error} if it has none. */
  async ca(signal: AbortSignal): Promise<string | undefined> {
    const { caSecret: name, namespace } = this.#options;
    if (name === undefined) return undefined;
    const { data } = await this.#client.get(Secret, { namespace, name }, { signal });
    const encoded = data?.[CA_KEY];
    if (encoded === undefined) throw new Error(`--ca-secret: Secret ${namespace}/${name} has no key ${CA_KEY}`);
    return Buffer.from(encoded, 'base64').toString('utf8');
  }

  async #requestToken(name: string, signal: AbortSignal): Promise<string> {
    const now = performance.now();
    if (this.#requested && now - this.#requested.at < RENEW_AFTER) return this.#requested.token;
    const key = { namespace: this.#options.namespace, name };
    const request = { metadata: key, spec: { audiences: [], expirationSeconds: LIFETIME } };
    const tokens = this.#client.subresource('token', TokenRequest);
    const { status } = await tokens.create(ServiceAccount, key, request, { signal });
    if (!status?.token) throw new Error(`--service-account: the API server issued no token for ${name}`);
    this.#requested = { token: status.token, at: now };
    return status.token;
  }

  /** Sent only on request, because the program in the Pod could use it. */
  async #ownToken(signal: AbortSignal): Promise<string> {
    const { authorization } = await this.#dialer.headers(signal);
    const [, token] = /^Bearer (.+)$/.exec(String(authorization)) ?? [];
    if (token !== undefined) return token;
    throw new Error('--send-token: the kubeconfig has no token: set --service-account');
  }
}
