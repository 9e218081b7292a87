import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../clock/clock.ts';
import type { ClusterConfig, Impersonation, TlsConfig } from '../config/cluster-config.ts';
import { TransportError } from '../errors/transport-error.ts';
import type { Credential, CredentialSource, HeaderFields } from './credential-source.ts';
import { sourceOf } from './source-of.ts';
import { checkTls, isInline, TlsFiles } from './tls-files.ts';

/** Who sends a request at this moment, and whom it trusts. */
export interface Credentials {
  readonly headers: HeaderFields;
  /** For connections, without files. */
  readonly tls: TlsConfig | undefined;
}

/** Whom requests of one config are sent as: headers and a client certificate, which may change over time. */
export interface Identity {
  /**
   * The same object for as long as nothing has changed.
   *
   * @throws {TransportError} with the code `credentials`, when there are none to be had.
   */
  current(signal: AbortSignal): Promise<Credentials>;
  /** The server did not accept `credentials` (401): what may be stale is not used again. */
  rejected(credentials: Credentials): void;
  /** No connection could be made: files may have changed. */
  distrusted(): void;
  /** Ends what is under way. */
  close(): void;
}

/** @throws {TypeError} when `config.auth` or `config.tls` cannot be used; the message names the field. */
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
  /** The credentials given last, and what they were made of. */
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

  async current(signal: AbortSignal): Promise<Credentials> {
    const [base, from] = await Promise.all([this.#tls(), this.#source.current(signal)]);
    const latest = this.#latest;
    if (latest?.base === base && latest?.from === from) return latest.credentials;

    const headers = checked({ ...from.headers, ...this.#impersonation }, this.#host);
    const made = { headers, tls: tlsOf(base, from) };
    // What was obtained anew may be what there was already.
    const credentials = latest && isDeepStrictEqual(latest.credentials, made) ? latest.credentials : made;
    this.#latest = { credentials, from, base };
    return credentials;
  }

  rejected(credentials: Credentials): void {
    if (!this.#latest || credentials !== this.#latest.credentials) return;
    this.#source.rejected(this.#latest.from);
    this.#files?.expire();
  }

  distrusted(): void {
    this.#files?.expire();
  }

  close(): void {
    this.#source.close();
  }
}

function tlsOf(base: TlsConfig | undefined, { certificate }: Credential): TlsConfig | undefined {
  return certificate ? { ...base, certData: certificate.cert, keyData: certificate.key } : base;
}

/** The API server's impersonation headers; keys of `extra` are escaped as client-go does it. */
function impersonationHeaders({ user, uid, groups, extra }: Impersonation): HeaderFields {
  const headers: Record<string, string | readonly string[]> = { 'impersonate-user': user };
  if (uid !== undefined) headers['impersonate-uid'] = uid;
  if (groups?.length) headers['impersonate-group'] = groups;
  for (const [key, values] of Object.entries(extra ?? {})) {
    headers[`impersonate-extra-${encodeURIComponent(key).toLowerCase()}`] = values;
  }
  return headers;
}

/** HTTP/2 would send what is no header value, and a server would drop it unsaid. */
function checked(headers: HeaderFields, host: string): HeaderFields {
  for (const [name, value] of Object.entries(headers)) {
    if ([value].flat().some((text) => /[\0\r\n]/.test(text))) {
      throw new TransportError('credentials', host, `the value of the header ${name} must not hold a line break`);
    }
  }
  return headers;
}
