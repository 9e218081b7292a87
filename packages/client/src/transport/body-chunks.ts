import type { Readable } from 'node:stream';

/**
 * The chunks of a body, by the stream's events alone. An iteration by the stream itself trusts in `closed`, which an
 * HTTP/2 stream has of its own: it is true once the server has sent everything, while some of that is yet to be read,
 * and the iteration may then fail for a body that is whole.
 *
 * @throws the stream's error; `cutOff()` when it closes before its end.
 */
export async function* bodyChunks(body: Readable, cutOff: () => Error): AsyncGenerator<Uint8Array, void, undefined> {
  let wake = () => {};
  let failure: Error | undefined;
  const onEvent = () => wake();
  const onError = (error: Error) => {
    failure = error;
    wake();
  };
  body.on('readable', onEvent).on('end', onEvent).on('close', onEvent).on('error', onError);
  try {
    for (;;) {
      const woken = new Promise<void>((resolve) => (wake = resolve));
      const chunk = body.destroyed ? null : (body.read() as Uint8Array | null);
      if (chunk !== null) yield chunk;
      else if (body.readableEnded) return;
      else if (failure ?? body.errored) throw (failure ?? body.errored) as Error;
      else if (body.destroyed) throw cutOff();
      else await woken;
    }
  } finally {
    body.off('readable', onEvent).off('end', onEvent).off('close', onEvent).off('error', onError);
  }
}
