import { request as sendRequest, type IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { checkServerIdentity, connect as connectTls } from 'node:tls';
import { shortened } from '@mcr/core/provider';
import type { Replica } from './replica.ts';
import { type ReplicaStatus, replicaStatusSchema } from './replica-status.ts';

/** Maximum size of a response, in bytes. A cluster takes a few kilobytes. */
const MAX_RESPONSE = 256 * 1024 * 1024;
/** Maximum nesting of a response. A status has five levels; newer managers may have more. */
const MAX_DEPTH = 100;
/** Maximum size of the text of a refusal, in bytes. */
const MAX_REFUSAL = 4096;
const PATH = '/fleet';

/** Token and TLS settings of requests to a manager. */
export interface Access {
  /** Returns the bearer token, or `undefined` for none. */
  readonly token: (signal: AbortSignal) => Promise<string | undefined>;
  /** Returns the TLS settings. */
  readonly tls: (signal: AbortSignal) => Promise<AccessTls>;
}

export interface AccessTls {
  /** CA certificates of the manager, as PEM. Default: those of Node.js. */
  readonly ca?: string;
  /** Name that the certificate must have. Default: the host of the address. */
  readonly servername?: string;
  readonly rejectUnauthorized: boolean;
}

/**
 * Reads the status of the clusters from one replica of a manager.
 *
 * @throws {Error} that says why it could not be read, and what to do.
 */
export async function fetchStatus(replica: Replica, access: Access, signal: AbortSignal): Promise<ReplicaStatus> {
  const [token, tls] = await Promise.all([access.token(signal), access.tls(signal)]);
  const connection = await replica.open(signal);
  try {
    const isSecure = replica.url.protocol === 'https:';
    const socket = isSecure ? secured(connection, replica.url.hostname, tls) : connection;
    const response = await answered(replica.url, { socket, token, signal });
    if (response.statusCode !== 200) throw refused(response, (await textOf(response, MAX_REFUSAL)).text);
    const { text, isComplete } = await textOf(response, MAX_RESPONSE);
    if (!isComplete) throw new Error(`the response has more than ${MAX_RESPONSE} bytes`);
    const result = replicaStatusSchema.safeParse(parsed(text));
    if (result.success) return result.data;
    const [issue] = result.error.issues;
    throw new Error(`not the status of a fleet: ${issue?.path.join('.')}: ${issue?.message}`);
  } catch (error) {
    // A body that ends with the signal has an error without the reason.
    signal.throwIfAborted();
    throw error;
  } finally {
    connection.destroy();
  }
}

/** Returns the address of the status. @throws {TypeError} if it is not an HTTP address. */
export function statusUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    throw new TypeError(
      `expected an address such as http://localhost:8080, found ${JSON.stringify(shortened(address, 200))}`,
    );
  }
  if (url.pathname === '/') url.pathname = PATH;
  return url;
}

function secured(socket: Duplex, hostname: string, { servername, ...tls }: AccessTls): Duplex {
  const name = servername ?? hostname.replace(/^\[|\]$/g, '');
  return connectTls({
    ...tls,
    socket,
    // RFC 6066 does not allow an address as a server name.
    servername: isIP(name) ? '' : name,
    checkServerIdentity: (_host, certificate) => checkServerIdentity(name, certificate),
  });
}

interface Sending {
  readonly socket: Duplex;
  readonly token: string | undefined;
  readonly signal: AbortSignal;
}

async function answered(url: URL, { socket, token, signal }: Sending): Promise<IncomingMessage> {
  const lost = (): Error => socket.errored ?? new Error('the connection was closed');
  // Node.js waits for a response even if the connection has ended already.
  if (socket.destroyed) throw lost();
  const headers = { host: url.host, accept: 'application/json', connection: 'close' };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  sendRequest({
    path: url.pathname + url.search,
    headers: token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` },
    createConnection: () => socket,
    signal,
  })
    .on('response', resolve)
    .on('error', (error: NodeJS.ErrnoException) => reject(isNotHttp(error, url) ? notHttp(error) : error))
    .end();
  socket.once('close', () => reject(lost()));
  return await promise;
}

/** Whether the peer closed the connection at the first bytes, or answered with something else, as a server with TLS does. */
function isNotHttp({ code = '' }: NodeJS.ErrnoException, { protocol }: URL): boolean {
  return protocol === 'http:' && (code.startsWith('HPE_') || code === 'ECONNRESET');
}

function notHttp(cause: Error): Error {
  return new Error(
    `no answer in HTTP (${cause.message}): if the manager serves TLS, use https:// or set --ca-file or --ca-secret`,
    { cause },
  );
}

interface BodyText {
  readonly text: string;
  /** Whether the body is not longer than the limit. */
  readonly isComplete: boolean;
}

/** Reads a body up to `limit` bytes. */
async function textOf(response: IncomingMessage, limit: number): Promise<BodyText> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limit) break;
  }
  return { text: Buffer.concat(chunks).toString('utf8', 0, limit), isComplete: size <= limit };
}

function parsed(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error('the response is not JSON: is it the address of the metrics of a manager?', { cause });
  }
  if (isNested(value, MAX_DEPTH)) throw new Error(`the response is nested more than ${MAX_DEPTH} levels deep`);
  return value;
}

/** Whether a value has more levels than `levels`. The formats that are printed need stack for each level. */
function isNested(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((field) => isNested(field, levels - 1));
}

function refused({ statusCode }: IncomingMessage, text: string): Error {
  const remedies: Readonly<Record<number, string>> = {
    401: ': set --token-file to a file with a token of the hub, or --service-account',
    403: ': the account of the token needs the verb get on the nonResourceURL /fleet',
    404: ': is it the address of the metrics of a manager?',
  };
  return new Error(`status ${statusCode}${remedies[statusCode ?? 0] ?? `: ${shortened(text, 200)}`}`);
}
