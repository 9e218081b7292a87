import { readFile } from 'node:fs/promises';
import type { Clock, Logger, Timer } from '@mcr/core';
import { certificatesIn } from '../certificates/ca-bundle.ts';

/** Interval at which the file is read, in milliseconds. */
const PERIOD = 10_000;

export interface ClientCaFileOptions {
  /** PEM file. */
  readonly file: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The file of the CAs of client certificates, which may be replaced. */
export class ClientCaFile {
  readonly #options: ClientCaFileOptions;
  #current: string | undefined;
  #timer: Timer | undefined;
  /** Whether a failure was logged, so that it is logged once. */
  #isBroken = false;

  constructor(options: ClientCaFileOptions) {
    this.#options = options;
  }

  /** Returns the CAs, in PEM. @throws {Error} if the file cannot be read, or is not valid; the message names it. */
  async read(): Promise<string> {
    const { file } = this.#options;
    const pem = await readFile(file, 'utf8');
    try {
      certificatesIn(pem);
    } catch (cause) {
      throw new Error(`option "callerAuth.clientCaFile": ${file}: ${(cause as Error).message}`, { cause });
    }
    this.#current = pem;
    return pem;
  }

  /** Updates `listener` whenever the file changes, until {@link stop}. */
  follow(listener: { setClientCa(pem: string): void }): void {
    this.#timer = this.#options.clock.schedule(PERIOD, () => {
      void this.#renew(listener).then(() => {
        if (this.#timer) this.follow(listener);
      });
    });
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Keeps the previous CAs if the file is invalid, because it may be written at the moment. */
  async #renew(listener: { setClientCa(pem: string): void }): Promise<void> {
    const { file, logger } = this.#options;
    const before = this.#current;
    try {
      const pem = await this.read();
      if (pem !== before) {
        listener.setClientCa(pem);
        logger.info('verifying client certificates with other CAs', { file });
      }
      this.#isBroken = false;
    } catch (error) {
      if (!this.#isBroken)
        logger.warn('failed to read the CAs of client certificates, using the previous ones', { error });
      this.#isBroken = true;
    }
  }
}
