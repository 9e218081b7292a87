import type { IncomingMessage } from 'node:http';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { FlagError } from './flags.ts';

/** Path at which the stand-in for etcd hands out its directory. */
export const CLAIM_PATH = '/mcr/claim';

/** Directory of a stand-in for etcd, which one API server uses at a time. */
export interface Storage {
  readonly directory: string;
  /** Resolves when the stand-in has ended. */
  readonly lost: Promise<void>;
  release(): void;
}

const answerSchema = z.strictObject({ directory: z.string() });

/** Maximum size of the answer, in bytes. */
const ANSWER_LIMIT = 64 * 1024;

/** Deadline for the stand-in to answer, and the interval of attempts, in milliseconds. */
const DEADLINE = 15_000;
const INTERVAL = 100;

/**
 * Claims the directory of the stand-in for etcd, for as long as the connection is open.
 *
 * @throws {FlagError} if no stand-in answers within 15 s, or another API server uses it.
 */
export async function claimStorage(url: string, signal: AbortSignal): Promise<Storage> {
  if (!URL.canParse(url) || new URL(url).protocol !== 'http:') {
    throw new FlagError(`--etcd-servers: ${JSON.stringify(url)} is not the URL of an etcd without TLS`);
  }
  const end = Date.now() + DEADLINE;
  for (;;) {
    try {
      return await claim(new URL(CLAIM_PATH, url), signal);
    } catch (error) {
      if (error instanceof FlagError || signal.aborted) throw error;
      if (Date.now() > end) {
        throw new FlagError(`--etcd-servers: ${url} does not answer: start the etcd beside this program`, {
          cause: error,
        });
      }
    }
    await sleep(INTERVAL, undefined, { signal });
  }
}

async function claim(url: URL, signal: AbortSignal): Promise<Storage> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = get(url, { agent: false, signal, timeout: DEADLINE }, resolve);
    request.on('timeout', () => request.destroy(new Error('timeout')));
    request.on('error', reject);
  });
  if (response.statusCode === 409) {
    response.destroy();
    throw new FlagError(`--etcd-servers: another API server uses ${url.origin}: start an etcd for each`);
  }
  if (response.statusCode !== 200) {
    response.destroy();
    throw new FlagError(
      `--etcd-servers: ${url.origin} is not the etcd beside this program: the embedded API server needs that one`,
    );
  }
  response.socket.setTimeout(0);
  let text = '';
  for await (const chunk of response
    .setEncoding('utf8')
    .iterator({ destroyOnReturn: false }) as AsyncIterable<string>) {
    text += chunk;
    if (text.includes('\n') || text.length > ANSWER_LIMIT) break;
  }
  const { directory } = answerSchema.parse(JSON.parse(text));
  const lost = new Promise<void>((resolve) => {
    response.on('error', () => undefined).on('close', resolve);
  });
  response.resume();
  return { directory, lost, release: () => void response.destroy() };
}
