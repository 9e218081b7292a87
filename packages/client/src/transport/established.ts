import type { Socket } from 'node:net';

/**
 * Resolves when `socket` tells of `event`: `connect`, or `secureConnect` of TLS.
 *
 * @throws why it never will.
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

export function connectionEnded(): Error {
  return Object.assign(new Error('closed while connecting'), { code: 'ECONNRESET' });
}
