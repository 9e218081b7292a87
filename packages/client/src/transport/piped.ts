import type { Duplex, Readable } from 'node:stream';

/**
 * Pipes a body into `target`, and destroys `target` if the body fails or closes before its end. Unlike with `pipeline`
 * of Node.js, `target` also closes if the connection of an HTTP/2 stream is lost: such a stream can close without `end`
 * after it was marked as ended, and `pipeline` then waits forever.
 *
 * An error of `target` never crashes the process, even if no listener is left.
 */
export function piped<T extends Duplex>(body: Readable, target: T): T {
  const onClose = () => {
    if (!body.readableEnded) target.destroy();
  };
  target.on('error', () => undefined);
  body.on('error', (error) => target.destroy(error)).once('close', onClose);
  if (body.destroyed) onClose();
  return body.pipe(target);
}
