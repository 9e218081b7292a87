import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Maximum size of what waits for clients that do not read, in bytes. */
const MAX_UNREAD = 64 * 1024 * 1024;

/**
 * The responses that are being sent. Clients that do not read them cannot take more memory than the limit: beyond it, the
 * connections are closed whose responses have been sent for the longest time.
 */
export class OpenResponses {
  /** Oldest first. */
  readonly #open = new Map<Socket, ServerResponse>();

  /**
   * Adds the response of a new request. Returns `false`, and closes the connection, if its previous response is not
   * complete: browsers and scrapers wait for it, and each further request would take memory for its response.
   */
  add({ socket }: IncomingMessage, response: ServerResponse): boolean {
    if (this.#open.has(socket)) {
      socket.destroy();
      return false;
    }
    this.#open.set(socket, response);
    const remove = (): void => {
      if (this.#open.get(socket) === response) this.#open.delete(socket);
    };
    response.once('finish', remove).once('close', remove);
    return true;
  }

  /** Closes connections until the unread data is below the limit. The latest response may exceed it. */
  limit(): void {
    let unread = 0;
    for (const { writableLength } of this.#open.values()) unread += writableLength;
    let left = this.#open.size;
    for (const [socket, { writableLength }] of this.#open) {
      left -= 1;
      if (unread <= MAX_UNREAD || left === 0) return;
      if (writableLength === 0) continue;
      unread -= writableLength;
      socket.destroy();
    }
  }
}
