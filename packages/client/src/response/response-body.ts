import { DocumentError } from '../json/document-error.ts';
import { parseDocument, parseInTurn, PARSED_AT_ONCE } from '../json/parse-document.ts';
import { Pieces } from '../json/pieces.ts';
import { SlicedDocument, type SlicedDocumentOptions } from '../json/sliced-document.ts';
import { workInTurn } from '../clock/event-loop-turn.ts';
import { STATUS_LIMITS } from '../json/structure.ts';
import { retryAfterOf } from '../transport/retry-after.ts';
import type { TransportResponse } from '../transport/transport.ts';
import { ApiError } from './api-error.ts';
import { continueTokenIn } from './continue-token.ts';
import { isStatus } from './status.ts';
import { shortened } from '../text/shortened.ts';

/** Documents up to this size, in bytes, are parsed in one call. */
const SMALL_DOCUMENT = 1024 * 1024;

/** Creates the error for an invalid response. @param problem for example `items is missing`. */
export function invalidResponse(subject: string, problem: string, status = 200): ApiError {
  return new ApiError({ code: status, message: `${subject}: invalid response: ${problem}` });
}

/**
 * Returns the parsed JSON body of a response.
 *
 * @param subject names the request in errors, for example `get of v1 Pod`.
 * @throws {ApiError} if the server refused the request, or the body is not JSON or exceeds a limit.
 */
export async function readJson(response: TransportResponse, subject: string): Promise<unknown> {
  if (!isSuccess(response)) throw await readApiError(response, subject);
  const text = textOf(await response.bytes());
  return parsed(response, subject, text);
}

/**
 * Checks the head of a response whose body is read while it arrives.
 *
 * @throws {ApiError} if the server refused the request, or the body is not JSON.
 */
export async function checkJson(response: TransportResponse, subject: string): Promise<void> {
  if (!isSuccess(response)) throw await readApiError(response, subject);
  const { status, headers } = response;
  const type = headers['content-type'];
  if (type === undefined || JSON_TYPES.test(type)) return;
  response.cancel();
  throw invalidResponse(subject, `the content type is ${shortened(type, MAX_TYPE)}, expected JSON`, status);
}

/** Matches `application/json`, `application/…+json` and either of them with parameters. */
const JSON_TYPES = /^[^;]*[/+]json *(?:;|$)/i;
/** Maximum size of a content type in an error, in bytes. */
const MAX_TYPE = 128;

export interface SlicedReadOptions extends Pick<SlicedDocumentOptions, 'maxElement' | 'onElements'> {
  /** Fields whose elements are parsed in slices. Several names are allowed, because documents differ. */
  readonly array: string | readonly string[];
  /** Receives the token of the next page before parsing blocks the thread, or while the page is still arriving. */
  readonly onContinue?: ((token: string) => void) | undefined;
}

/**
 * Like {@link readJson}, for a document with one long array. A small document is parsed in one call, a larger one in
 * slices as it arrives.
 *
 * @throws the errors of `onElements` and of {@link readJson}.
 */
export async function readSliced(
  response: TransportResponse,
  subject: string,
  { array, onContinue, ...options }: SlicedReadOptions,
): Promise<unknown> {
  if (!isSuccess(response)) throw await readApiError(response, subject);
  const onBegin = (text: string): boolean => {
    const token = continueTokenIn(text);
    if (token !== undefined) onContinue?.(token);
    return token !== undefined;
  };
  const arrays = new Set(typeof array === 'string' ? [array] : array);
  const small = new Pieces();
  let sliced: SlicedDocument | undefined;
  try {
    for await (const chunk of response.body) {
      if (!sliced) {
        small.add(chunk);
        if (small.size <= SMALL_DOCUMENT) continue;
        sliced = new SlicedDocument({ ...options, arrays, onBegin });
        await pushInTurns(sliced, small.take());
      } else {
        await pushInTurns(sliced, chunk);
      }
    }
    if (sliced) return sliced.end();
  } catch (error) {
    throw error instanceof DocumentError
      ? invalidResponse(subject, `the document ${error.message}`, response.status)
      : error;
  }
  const text = textOf(small.take());
  // Lets the caller's requests go out before parsing blocks the thread.
  if (onContinue && onBegin(text)) await new Promise((resolve) => setImmediate(resolve));
  const document = await parsed(response, subject, text);
  if (typeof document !== 'object' || document === null) return document;
  for (const name of arrays) {
    const elements: unknown = Reflect.get(document, name);
    if (Array.isArray(elements)) options.onElements?.(elements);
  }
  return document;
}

async function pushInTurns(document: SlicedDocument, chunk: Uint8Array): Promise<void> {
  for (let start = 0; start < chunk.length; start += PARSED_AT_ONCE) {
    await workInTurn(() => document.push(chunk.subarray(start, start + PARSED_AT_ONCE)));
  }
}

/** Creates the error for a refused request. @param subject names the request if the server sent no Status. */
export async function readApiError(response: TransportResponse, subject: string): Promise<ApiError> {
  const { status: code, headers } = response;
  const text = textOf(await response.bytes());
  const status = parseStatus(text) ?? {
    message: `${subject}: the server answered ${code} ${described(text, headers)}${code === 404 ? NOT_SERVED : ''}`,
  };
  const retryAfter = retryAfterOf(headers['retry-after']);
  return new ApiError({ ...status, code }, retryAfter === undefined ? {} : { retryAfter });
}

function isSuccess({ status }: TransportResponse): boolean {
  return status >= 200 && status <= 299;
}

async function parsed({ status }: TransportResponse, subject: string, text: string): Promise<unknown> {
  try {
    return await parseInTurn(text);
  } catch (error) {
    throw error instanceof DocumentError ? invalidResponse(subject, `the document ${error.message}`, status) : error;
  }
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}

function parseStatus(text: string): object | undefined {
  try {
    const value = parseDocument(text, STATUS_LIMITS);
    return isStatus(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** An API server sends a 404 without a Status for a path that does not exist. */
const NOT_SERVED = ', as for a kind that it does not serve: check whether its CustomResourceDefinition is installed';

/** Describes a body without repeating it: some proxies echo the headers of the request, and so its credentials. */
function described(text: string, headers: TransportResponse['headers']): string {
  if (text.trim() === '') return 'without a body';
  const [type] = headers['content-type']?.split(';') ?? [];
  return `with ${text.length} characters of ${type || 'an unknown type'} instead of a Status object`;
}
