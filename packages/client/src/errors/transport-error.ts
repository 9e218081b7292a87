import { shortened } from '../text/shortened.ts';

/** Marks the class across copies of this package. */
const BRAND = Symbol.for('@mcr/client/TransportError');

/**
 * Why no (whole) response came.
 *
 * - `refused`: nothing listens at the server's address, or no way leads there, or the proxy does not connect to it
 * - `disallowed`: the config's `endpoints` do not allow the server's address
 * - `unresolved`: the server's name is not in the DNS
 * - `untrusted`: the TLS handshake failed, or the server's certificate is not trusted
 * - `deadline`: the time for connecting, or for the whole request, has passed
 * - `reset`: the connection was lost, or the server cut the request off
 * - `rotated`: a stream ended because its client certificate was replaced
 * - `credentials`: the credentials that the request needs could not be obtained, or the proxy did not accept its own
 * - `protocol`: what came was not HTTP as it should be
 * - `redirected`: the server answered with a redirect, which is not followed
 * - `oversized`: the body is larger than the transport takes
 * - `closed`: the transport was closed by its owner; every other request with it fails too
 */
export type TransportErrorCode =
  | 'refused'
  | 'disallowed'
  | 'unresolved'
  | 'untrusted'
  | 'deadline'
  | 'reset'
  | 'rotated'
  | 'credentials'
  | 'protocol'
  | 'redirected'
  | 'oversized'
  | 'closed';

export interface TransportErrorOptions extends ErrorOptions {
  /** The server certainly did nothing with the request, so that even a write may be sent again. */
  readonly unprocessed?: boolean;
}

/** No whole response came from the server. The message names the server's host, never a credential. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly [BRAND] = true;
  readonly code: TransportErrorCode;
  /** The server's host and port. */
  readonly host: string;
  /** The server certainly did nothing with the request, so that even a write may be sent again. */
  readonly unprocessed: boolean;

  constructor(code: TransportErrorCode, host: string, meaning: string, options: TransportErrorOptions = {}) {
    super(`${host}: ${meaning}`, options);
    this.code = code;
    this.host = host;
    this.unprocessed = options.unprocessed ?? false;
  }
}

/** Whether `error` is a {@link TransportError}. */
export function isTransportError(error: unknown): error is TransportError {
  return typeof error === 'object' && error !== null && BRAND in error;
}

const REFUSED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EACCES']);
const UNRESOLVED = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL']);
const RESET = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT', 'ERR_STREAM_PREMATURE_CLOSE']);
/** How OpenSSL, and Node.js over it, name what is wrong with a certificate or a handshake. */
const TLS =
  /CERT|^ERR_(TLS|SSL|OSSL)|^E?PROTO$|ISSUER|^(INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|PATH_LENGTH_EXCEEDED)$/;

/** Gives a failure of the socket, TLS or HTTP layer its meaning. A {@link TransportError} stays what it is. */
export function toTransportError(cause: unknown, host: string, options: TransportErrorOptions = {}): TransportError {
  if (isTransportError(cause)) return cause;
  const { code, message } = describe(cause);
  const wrap = (meaningCode: TransportErrorCode, meaning: string) =>
    new TransportError(meaningCode, host, meaning, { ...options, cause });

  if (REFUSED.has(code)) {
    return wrap('refused', code === 'ECONNREFUSED' ? 'connection refused' : `no way leads to the server (${code})`);
  }
  if (UNRESOLVED.has(code)) return wrap('unresolved', 'name not found');
  if (RESET.has(code)) return wrap('reset', `connection lost (${code})`);
  if (TLS.test(code)) {
    return wrap(
      'untrusted',
      code.includes('SSL') ? `TLS failed: ${message}` : `certificate is not trusted: ${message}`,
    );
  }
  if (code.startsWith('ERR_HTTP2') || code === 'ECANCELED') return wrap('reset', `request was cut off: ${message}`);
  return wrap('protocol', message);
}

function describe(cause: unknown): { readonly code: string; readonly message: string } {
  if (typeof cause !== 'object' || cause === null) return { code: '', message: String(cause) };
  // Every address of a name was tried (RFC 8305): one where somebody answered speaks for all, or else the first.
  if ('errors' in cause && Array.isArray(cause.errors)) {
    const failures = cause.errors.map(describe);
    const spokesman = failures.find(({ code }) => code === 'ECONNREFUSED') ?? failures[0];
    if (spokesman) return spokesman;
  }
  // The message may contain text from a certificate or a proxy.
  return { code: textOf(cause, 'code'), message: shortened(textOf(cause, 'message')) };
}

function textOf(value: object, field: string): string {
  const text: unknown = Reflect.get(value, field);
  return typeof text === 'string' ? text : '';
}
