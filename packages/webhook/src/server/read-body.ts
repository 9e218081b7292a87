import type { ServerRequest } from './listener.ts';
import { badRequest, RefusedRequestError } from './refused-request-error.ts';

/**
 * Returns the size that a request announces, or `limit` if it announces none.
 *
 * @throws {RefusedRequestError} with status 413 if it exceeds the limit.
 */
export function announcedSize({ headers }: ServerRequest, limit: number): number {
  const length = headers['content-length'];
  if (length === undefined) return limit;
  const size = Number(length);
  if (size > limit) throw tooLarge(limit);
  return Number.isInteger(size) && size >= 0 ? size : limit;
}

/**
 * Reads the body of a request as text.
 *
 * @throws {RefusedRequestError} with status 413 if it exceeds the limit, and with status 400 if it is empty, is not UTF-8 or
 *   ends early.
 * @throws the reason of `signal` if it aborts first.
 */
export async function readBody(request: ServerRequest, limit: number, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  await new Promise<void>((resolve, reject) => {
    const onAbort = (): void => finish(() => reject(signal.reason as Error));
    const finish = (settle: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('error', onError).off('close', onError);
      signal.removeEventListener('abort', onAbort);
      request.pause();
      settle();
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limit) finish(() => reject(tooLarge(limit)));
      else chunks.push(chunk);
    };
    const onEnd = (): void => finish(resolve);
    const onError = (): void => finish(() => reject(badRequest('the body ended early')));
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    request.on('data', onData).on('end', onEnd).on('error', onError).on('close', onError);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  if (size === 0) throw badRequest('the body is empty: send a review');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw badRequest('the body is not UTF-8');
  }
}

function tooLarge(limit: number): RefusedRequestError {
  return new RefusedRequestError(413, `the body exceeds ${limit} bytes`);
}
