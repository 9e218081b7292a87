import type { TransportResponse } from '../transport/transport.ts';
import { ApiError, type Status } from './api-error.ts';

/** How much of a body that is not a `Status` is shown in an error, in characters. */
const EXCERPT = 200;

/**
 * The JSON of a response.
 *
 * @throws {ApiError} when the server refused the request, or answered what is not JSON.
 */
export async function readJson(response: TransportResponse): Promise<unknown> {
  const text = Buffer.from(await response.bytes()).toString('utf8');
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

/** The error that a refused request is told by. */
export async function readApiError(response: TransportResponse): Promise<ApiError> {
  return apiErrorOf(response, Buffer.from(await response.bytes()).toString('utf8'));
}

function apiErrorOf({ status: code, headers }: TransportResponse, text: string): ApiError {
  const status = parseStatus(text) ?? { message: `the server answered ${code}: ${excerptOf(text)}` };
  const retryAfter = retryAfterOf(headers['retry-after']);
  return new ApiError({ ...status, code }, retryAfter === undefined ? {} : { retryAfter });
}

function parseStatus(text: string): Status | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isStatus = typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status';
    return isStatus ? (value as Status) : undefined;
  } catch {
    return undefined;
  }
}

function excerptOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '') return '(empty body)';
  return line.length > EXCERPT ? `${line.slice(0, EXCERPT)}…` : line;
}

/** In milliseconds. The header holds seconds or, from a proxy, a date (RFC 9110 section 10.2.3). */
function retryAfterOf(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const delay = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(delay) ? Math.max(delay, 0) : undefined;
}
