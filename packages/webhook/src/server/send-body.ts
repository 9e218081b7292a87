import { constants } from 'node:http2';
import { orAborted } from '@mcr/core/provider';
import type { ServerReply, ServerRequest } from './listener.ts';

/** Size of the parts of a response, in bytes. A connection buffers one part of each response that its client does not read. */
export const PART_BYTES = 64 * 1024;

export interface SendOptions {
  readonly request: ServerRequest;
  readonly reply: ServerReply;
  /** Ends the response, and over HTTP/1.1 the connection. */
  readonly signal: AbortSignal;
}

/** Writes the body of a response. Resolves when it is written, or its connection is gone. Never throws. */
export async function sendBody(body: Buffer, { request, reply, signal }: SendOptions): Promise<void> {
  const closed = new Promise<'closed'>((resolve) => reply.once('close', () => resolve('closed')));
  // The methods of both protocols have different overloads.
  const stream = reply as NodeJS.WritableStream;
  try {
    let at = 0;
    for (; body.length - at > PART_BYTES; at += PART_BYTES) {
      const part = body.subarray(at, at + PART_BYTES);
      const written = new Promise<'written'>((resolve) => stream.write(part, () => resolve('written')));
      if ((await orAborted(Promise.race([written, closed]), signal)) === 'closed') return;
    }
    stream.end(body.subarray(at));
    await orAborted(closed, signal);
  } catch {
    end(request);
  }
}

/** Ends a response without waiting for its client. */
function end(request: ServerRequest): void {
  if (!('stream' in request)) {
    request.socket.destroy();
    return;
  }
  request.stream.close(constants.NGHTTP2_CANCEL);
  // Frees what is buffered for a client that reads nothing, not even the reset of the stream.
  request.stream.destroy();
}
