import { ERROR_BRAND, hasBrand, McrError } from './mcr-error.ts';
import { shortened } from '../text/shortened.ts';

/**
 * The reason why there is no complete response.
 *
 * - `refused`: the connection was refused, the server is unreachable, or the proxy did not connect to it.
 * - `disallowed`: the config's `endpoints` do not allow the server's address.
 * - `unresolved`: the server's name was not found.
 * - `untrusted`: the TLS handshake failed, or the server's certificate is not trusted.
 * - `deadline`: the deadline for connecting or for the whole request passed.
 * - `reset`: the connection was lost, or the server aborted the request.
 * - `rotated`: a stream ended because the client certificate was replaced.
 * - `credentials`: the credentials for the request could not be obtained, or the proxy rejected its credentials.
 * - `protocol`: the server violated HTTP.
 * - `redirected`: the server returned a redirect. Redirects are not followed.
 * - `oversized`: the body is larger than the transport's limit.
 * - `closed`: the transport was closed. All its other requests fail too.
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

/** Options of {@link TransportError}. */
export interface TransportErrorOptions extends ErrorOptions {
  /** Whether the server certainly did not process the request, so that even a write can be retried. */
  readonly unprocessed?: boolean;
}

/**
 * Thrown if there is no complete response. The message starts with the server's host, and never contains a credential.
 */
export class TransportError extends McrError {
  override readonly name = 'TransportError';
  readonly [ERROR_BRAND] = '@mcr/client/TransportError';
  readonly code: TransportErrorCode;
  /** The server's host and port. */
  readonly host: string;
  /** Whether the server certainly did not process the request, so that even a write can be retried. */
  readonly unprocessed: boolean;

  constructor(code: TransportErrorCode, host: string, problem: string, options: TransportErrorOptions = {}) {
    super(`${host}: ${problem}`, options);
    this.code = code;
    this.host = host;
    this.unprocessed = options.unprocessed ?? false;
  }
}

/** Whether `error` is a {@link TransportError}. */
export function isTransportError(error: unknown): error is TransportError {
  return hasBrand<TransportError>(error, '@mcr/client/TransportError');
}

const REFUSED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EACCES']);
const UNRESOLVED = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL']);
const RESET = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT', 'ERR_STREAM_PREMATURE_CLOSE']);
/** Matches the codes of OpenSSL and Node.js for failures of certificates and handshakes. */
const TLS =
  /CERT|LEAF_SIGNATURE|^ERR_(TLS|SSL|OSSL)|^E?PROTO$|ISSUER|^(INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|PATH_LENGTH_EXCEEDED)$/;

/** Converts a failure of the socket, TLS or HTTP layer to a {@link TransportError}. Returns a TransportError as is. */
export function toTransportError(cause: unknown, host: string, options: TransportErrorOptions = {}): TransportError {
  if (isTransportError(cause)) return cause;
  const { code, message } = describe(cause);
  const wrap = (transportCode: TransportErrorCode, problem: string) =>
    new TransportError(transportCode, host, problem, { ...options, cause });

  if (REFUSED.has(code)) {
    return wrap('refused', code === 'ECONNREFUSED' ? 'connection refused' : `server unreachable (${code})`);
  }
  if (UNRESOLVED.has(code)) return wrap('unresolved', 'name not found');
  if (RESET.has(code)) return wrap('reset', `connection lost (${code})`);
  if (TLS.test(code)) {
    return wrap(
      'untrusted',
      code.includes('SSL') ? `TLS failed: ${message}` : `certificate is not trusted: ${message}`,
    );
  }
  if (code.startsWith('ERR_HTTP2') || code === 'ECANCELED')
    return wrap('reset', `the request was interrupted: ${message}`);
  return wrap('protocol', message);
}

function describe(cause: unknown): { readonly code: string; readonly message: string } {
  if (typeof cause !== 'object' || cause === null) return { code: '', message: String(cause) };
  // All addresses of the name failed (RFC 8305). A refused connection is the most telling failure, otherwise the first.
  if ('errors' in cause && Array.isArray(cause.errors)) {
    const failures = cause.errors.map(describe);
    const failure = failures.find(({ code }) => code === 'ECONNREFUSED') ?? failures[0];
    if (failure) return failure;
  }
  // The message may contain text from a certificate or a proxy.
  return { code: textOf(cause, 'code'), message: shortened(textOf(cause, 'message')) };
}

function textOf(value: object, field: string): string {
  const text: unknown = Reflect.get(value, field);
  return typeof text === 'string' ? text : '';
}
