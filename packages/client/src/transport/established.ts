import type { Socket } from 'node:net';

/**
 * Resolves when `socket` emits `event`: `connect`, or `secureConnect` for TLS.
 *
 * @throws the error of the socket, or an ECONNRESET error if it closes first.
 */
export function established(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = () => socket.off(event, onEvent).off('error', onFailure).off('close', onClose);
    const onEvent = () => {
      settle();
      resolve();
    };
    const onFailure = (cause: Error) => {
      settle();
      reject(cause);
    };
    const onClose = () => onFailure(connectionEnded());
    socket.on(event, onEvent).on('error', onFailure).on('close', onClose);
  });
}

/** Creates the error for a connection that closed before it was established. */
export function connectionEnded(): Error {
  return Object.assign(new Error('closed while connecting'), { code: 'ECONNRESET' });
}
