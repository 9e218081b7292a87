import type { Logger } from '@mcr/core';
import { silentLogger } from '@mcr/core';

/** A logger that prints nothing, and the address that the manager logs when its server of metrics listens. */
export function servingAddress(): { readonly logger: Logger; readonly address: Promise<string> } {
  const { promise, resolve } = Promise.withResolvers<string>();
  const logger: Logger = {
    ...silentLogger,
    child: () => logger,
    info: (message, fields) => {
      if (message === 'server listening') resolve(String(fields?.['address']));
    },
  };
  return { logger, address: promise };
}
