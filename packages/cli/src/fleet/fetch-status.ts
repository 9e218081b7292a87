import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { shortened } from '@mcr/core/provider';
import { type ReplicaStatus, replicaStatusSchema } from './replica-status.ts';

/** Maximum size of a response, in bytes. A cluster takes a few kilobytes. */
const MAX_RESPONSE = 256 * 1024 * 1024;
/** Maximum size of the text of a refusal, in bytes. */
const MAX_REFUSAL = 4096;
const PATH = '/fleet';

/** How a manager is asked. */
export interface Access {
  /** File with a bearer token. Default: none. */
  readonly tokenFile?: string;
  /** File with the CA certificates of the managers. Default: those of Node.js. */
  readonly caFile?: string;
  readonly signal: AbortSignal;
}

/**
 * Reads the status of the clusters from one replica of a manager.
 *
 * @param address such as `http://localhost:8080`, with or without the path `/fleet`.
 * @throws {Error} that says why it could not be read, and what to do.
 */
export async function fetchStatus(address: string, access: Access): Promise<ReplicaStatus> {
  const url = statusUrl(address);
  const response = await answered(url, access);
  if (response.statusCode !== 200) throw refused(response, await textOf(response, MAX_REFUSAL));
  const result = replicaStatusSchema.safeParse(parsed(await textOf(response, MAX_RESPONSE)));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Error(`not the status of a fleet: ${issue?.path.join('.')}: ${issue?.message}`);
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

async function answered(url: URL, { tokenFile, caFile, signal }: Access): Promise<IncomingMessage> {
  const token = tokenFile && (await readFile(tokenFile, 'utf8')).trim();
  const ca = caFile && (await readFile(caFile));
  const headers = { accept: 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const options = { headers, signal, agent: false, ...(ca && { ca }) };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  send(url, options, resolve).on('error', reject).end();
  return await promise;
}

async function textOf(response: IncomingMessage, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw new Error(`the response has more than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error('the response is not JSON: is it the address of the metrics of a manager?', { cause });
  }
}

function refused({ statusCode }: IncomingMessage, text: string): Error {
  const remedies: Readonly<Record<number, string>> = {
    401: ': set --token-file to a file with a token of the hub',
    403: ': the account of the token needs the verb get on the nonResourceURL /fleet',
    404: ': is it the address of the metrics of a manager?',
  };
  return new Error(`status ${statusCode}${remedies[statusCode ?? 0] ?? `: ${shortened(text, 200)}`}`);
}
