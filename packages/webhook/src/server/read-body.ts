import type { ServerRequest } from './listener.ts';
import { badRequest, RefusedRequestError } from './refused-request-error.ts';

/** @throws {RefusedRequestError} with status 413 if the request announces a body that exceeds the limit. */
export function checkAnnouncedSize({ headers }: ServerRequest, limit: number): void {
  if (Number(headers['content-length']) > limit) throw tooLarge(limit);
}

export interface BodyOptions {
  /** Largest size, in bytes. */
  readonly limit: number;
  readonly signal: AbortSignal;
  /** Called with the size of each part, in bytes. May throw to end the reading. */
  readonly received: (bytes: number) => void;
}

/**
 * Reads the body of a request as text.
 *
 * @throws {RefusedRequestError} with status 413 if it exceeds the limit, and with status 400 if it is empty, is not UTF-8 or
 *   ends early.
 * @throws the reason of `signal` if it aborts first, and what `received` throws.
 */
export async function readBody(request: ServerRequest, { limit, signal, received }: BodyOptions): Promise<string> {
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
      if (size > limit) {
        finish(() => reject(tooLarge(limit)));
        return;
      }
      chunks.push(chunk);
      try {
        received(chunk.length);
      } catch (error) {
        finish(() => reject(error));
      }
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
