import { retryAfterOf } from '../transport/retry-after.ts';
import type { TransportResponse } from '../transport/transport.ts';
import { ApiError, type Status } from './api-error.ts';

/**
 * The JSON of a response.
 *
 * @throws {ApiError} when the server refused the request, or answered what is not JSON.
 */
export async function readJson(response: TransportResponse): Promise<unknown> {
  return parseJson(response, await response.bytes());
}

function parseJson(response: TransportResponse, bytes: Uint8Array): unknown {
  const text = textOf(bytes);
  if (response.status < 200 || response.status > 299) throw apiErrorOf(response, text);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Says nothing of the body: it may be part of a Secret.
    throw new ApiError({
      code: response.status,
      message: `the server's answer of ${text.length} characters is not JSON`,
    });
  }
}

/** A token before any array, so that it is of the list and of none of its objects. */
const CONTINUE = /^[^[]*?"continue":"([\w=+/.-]+)"/;
/** How far from the beginning of a list its token may end, in characters. */
const LIST_METADATA = 8_192;

/**
 * As {@link readJson}, of a list. `onContinue` is called before the parser keeps the thread, and what it sends goes out.
 *
 * @throws as {@link readJson} does.
 */
export async function readPage(response: TransportResponse, onContinue: (token: string) => void): Promise<unknown> {
  const bytes = await response.bytes();
  const [, token] = CONTINUE.exec(Buffer.from(bytes.subarray(0, LIST_METADATA)).toString('latin1')) ?? [];
  if (token !== undefined && response.status === 200) {
    onContinue(token);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return parseJson(response, bytes);
}

/** The error that a refused request is told by. */
export async function readApiError(response: TransportResponse): Promise<ApiError> {
  return apiErrorOf(response, textOf(await response.bytes()));
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}

function apiErrorOf({ status: code, headers }: TransportResponse, text: string): ApiError {
  const status = parseStatus(text) ?? { message: `the server answered ${code} ${described(text, headers)}` };
  const retryAfter = retryAfterOf(headers['retry-after']);
  return new ApiError({ ...status, code }, retryAfter === undefined ? {} : { retryAfter });
}

function parseStatus(text: string): Status | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isStatus(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status';
}

/** Without the body itself: there are proxies that answer with the headers, and so the credentials, of the request. */
function described(text: string, headers: TransportResponse['headers']): string {
  if (text.trim() === '') return 'without a body';
  const [type] = headers['content-type']?.split(';') ?? [];
  return `with ${text.length} characters of ${type || 'an unknown type'}, which is no Status`;
}
