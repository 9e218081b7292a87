import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

/** Interval between two probes, and the deadline of each, in milliseconds. */
const INTERVAL = 20;
const DEADLINE = 2_000;

/** Returns the status that a server on this machine answers; `undefined` if it does not answer. */
function statusOf(url: string, signal: AbortSignal): Promise<number | undefined> {
  const get = url.startsWith('https:') ? getHttps : getHttp;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE)]);
  return new Promise((resolve) => {
    // The certificate of the program is not for this name.
    const request = get(url, { agent: false, rejectUnauthorized: false, signal: limit }, (response) => {
      response.destroy();
      resolve(response.statusCode);
    });
    request.on('error', () => resolve(undefined));
  });
}

/**
 * Waits until a server on this machine answers.
 *
 * @param accepts selects the statuses that end the wait. Default: all.
 * @returns the status; `undefined` after an abort.
 */
export async function probe(
  url: string,
  signal: AbortSignal,
  accepts: (status: number) => boolean = () => true,
): Promise<number | undefined> {
  while (!signal.aborted) {
    const status = await statusOf(url, signal);
    if (status !== undefined && accepts(status)) return status;
    await sleep(INTERVAL, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}
