import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../clock/clock.ts';
import type { ClusterConfig, Impersonation, TlsConfig } from '../config/cluster-config.ts';
import { TransportError } from '../errors/transport-error.ts';
import type { Credential, CredentialSource, HeaderFields } from './credential-source.ts';
import { sourceOf } from './source-of.ts';
import { checkTls, isInline, TlsFiles } from './tls-files.ts';

/** Credentials and TLS settings of a request. */
export interface Credentials {
  readonly headers: HeaderFields;
  /** TLS settings of the connection. Contents replace the paths of files. */
  readonly tls: TlsConfig | undefined;
}

/** The identity that requests of one config are sent with. Its headers and client certificate may change over time. */
export interface Identity {
  /** The credentials, if {@link current} has returned them and they never change. */
  readonly constant: Credentials | undefined;
  /**
   * Returns the current credentials: the same object until they change.
   *
   * @throws {TransportError} with the code `credentials`, if they cannot be obtained.
   */
  current(signal: AbortSignal): Promise<Credentials>;
  /** Reports that the server rejected `credentials` (401). Credentials that may be stale are renewed. */
  rejected(credentials: Credentials): void;
  /** Reports that a TLS handshake failed. The files of `tls` are read again, because they may have changed. */
  tlsFailed(): void;
  /** Aborts operations in progress. */
  close(): void;
}

/**
 * Creates the identity of a config.
 *
 * @throws {TypeError} if `config.auth` or `config.tls` is not valid; the message names the field.
 */
export function createIdentity(config: ClusterConfig, host: string, clock: Clock): Identity {
  checkTls(config.tls);
  return new ConfiguredIdentity(config, host, clock);
}

class ConfiguredIdentity implements Identity {
  readonly #host: string;
  readonly #files: TlsFiles | undefined;
  readonly #source: CredentialSource;
  readonly #tls: () => Promise<TlsConfig | undefined>;
  readonly #impersonation: HeaderFields;
  /** The latest credentials, and the parts that they were built from. */
  #latest:
    { readonly credentials: Credentials; readonly from: Credential; readonly base: TlsConfig | undefined } | undefined;

  constructor(config: ClusterConfig, host: string, clock: Clock) {
    const { tls, impersonate } = config;
    const files = tls && !isInline(tls) ? new TlsFiles(tls, host, clock) : undefined;
    this.#host = host;
    this.#files = files;
    this.#tls = files ? () => files.current() : () => Promise.resolve(tls);
    this.#source = sourceOf(config, { host, clock, tls: this.#tls });
    this.#impersonation = impersonate ? impersonationHeaders(impersonate) : {};
  }

  get constant(): Credentials | undefined {
    return this.#files || !this.#source.constant ? undefined : this.#latest?.credentials;
  }

  async current(signal: AbortSignal): Promise<Credentials> {
    const [base, from] = await Promise.all([this.#tls(), this.#source.current(signal)]);
    const latest = this.#latest;
    if (latest?.base === base && latest?.from === from) return latest.credentials;

    const headers = checked({ ...from.headers, ...this.#impersonation }, this.#host);
    const renewed = { headers, tls: tlsOf(base, from) };
    // Renewed credentials may equal the previous ones.
    const credentials = latest && isDeepStrictEqual(latest.credentials, renewed) ? latest.credentials : renewed;
    this.#latest = { credentials, from, base };
    return credentials;
  }

  rejected(credentials: Credentials): void {
    if (!this.#latest || credentials !== this.#latest.credentials) return;
    this.#source.rejected(this.#latest.from);
    this.#files?.expire();
  }

  tlsFailed(): void {
    this.#files?.expire();
  }

  close(): void {
    this.#source.close();
  }
}

function tlsOf(base: TlsConfig | undefined, { certificate }: Credential): TlsConfig | undefined {
  return certificate ? { ...base, certData: certificate.cert, keyData: certificate.key } : base;
}

/** Returns the impersonation headers. Keys of `extra` are escaped as in client-go. */
function impersonationHeaders({ user, uid, groups, extra }: Impersonation): HeaderFields {
  const headers: Record<string, string | readonly string[]> = { 'impersonate-user': user };
  if (uid !== undefined) headers['impersonate-uid'] = uid;
  if (groups?.length) headers['impersonate-group'] = groups;
  for (const [key, values] of Object.entries(extra ?? {})) {
    headers[`impersonate-extra-${encodeURIComponent(key).toLowerCase()}`] = values;
  }
  return headers;
}

/** Refuses invalid header values. HTTP/2 would send them, and a server would drop them silently. */
function checked(headers: HeaderFields, host: string): HeaderFields {
  for (const [name, value] of Object.entries(headers)) {
    if ([value].flat().some((text) => /[\0\r\n]/.test(text))) {
      throw new TransportError('credentials', host, `the value of the header ${name} must not contain a line break`);
    }
  }
  return headers;
}
