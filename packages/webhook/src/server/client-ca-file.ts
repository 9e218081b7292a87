import type { Clock, Logger } from '@mcr/core';
import { FollowedFiles } from '@mcr/core/provider';
import { certificatesIn } from '../certificates/ca-bundle.ts';

export interface ClientCaFileOptions {
  /** PEM file. */
  readonly file: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The file of the CAs of client certificates, which may be replaced. */
export class ClientCaFile {
  readonly #options: ClientCaFileOptions;
  readonly #files: FollowedFiles<string>;

  constructor(options: ClientCaFileOptions) {
    const { file, clock } = options;
    this.#options = options;
    this.#files = new FollowedFiles({ files: [file], clock, parse: ([pem = '']) => checked(file, pem) });
  }

  /** Returns the CAs, in PEM. @throws {Error} if the file cannot be read, or is not valid; the message names it. */
  read(signal: AbortSignal): Promise<string> {
    return this.#files.read(signal);
  }

  /**
   * Updates `listener` whenever the file changes, until {@link stop}. The listener keeps the previous CAs while the file is
   * invalid, because it may be written at the moment.
   */
  follow(listener: { setClientCa(pem: string): void }): void {
    const { file, logger } = this.#options;
    this.#files.follow({
      changed: (pem) => {
        listener.setClientCa(pem);
        logger.info('verifying client certificates with other CAs', { file });
      },
      failed: (error) =>
        logger.warn('failed to read the CAs of client certificates, using the previous ones', { error }),
    });
  }

  stop(): void {
    this.#files.stop();
  }
}

function checked(file: string, pem: string): string {
  try {
    certificatesIn(pem);
    return pem;
  } catch (cause) {
    throw new Error(`option "callerAuth.clientCaFile": ${file}: ${(cause as Error).message}`, { cause });
  }
}
