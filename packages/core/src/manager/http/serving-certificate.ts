import { readFile } from 'node:fs/promises';
import type { Server } from 'node:https';
import type { Clock, Logger, Timer } from '@mcr/client';

/** Files of a serving certificate. */
export interface ServingCertificateFiles {
  /** PEM file of the certificate and its intermediate authorities. Reloaded when it changes. */
  readonly certFile: string;
  /** PEM file of its key. Reloaded when it changes. */
  readonly keyFile: string;
}

/** Interval at which the files are read, in milliseconds. */
const PERIOD = 10_000;

export interface ServingCertificateOptions {
  readonly files: ServingCertificateFiles;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called after each periodic read of the files, also if they have not changed. Must not throw. */
  readonly onRead?: () => void;
}

/** A serving certificate whose files may be renewed. (Upstream: controller-runtime's `certwatcher`.) */
export class ServingCertificate {
  readonly #options: ServingCertificateOptions;
  #current: { readonly cert: string; readonly key: string } | undefined;
  #timer: Timer | undefined;
  /** Whether a failure was logged, so that it is logged once. */
  #isBroken = false;

  constructor(options: ServingCertificateOptions) {
    this.#options = options;
  }

  /** @throws {Error} if a file cannot be read; the message names it. */
  async read(): Promise<{ readonly cert: string; readonly key: string }> {
    const { certFile, keyFile } = this.#options.files;
    const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
    this.#current = { cert, key };
    return this.#current;
  }

  /** Updates `server` whenever the files change, until {@link stop}. */
  follow(server: Pick<Server, 'setSecureContext'>): void {
    this.#timer = this.#options.clock.schedule(PERIOD, () => {
      void this.#renew(server).then(() => {
        if (!this.#timer) return;
        this.#options.onRead?.();
        this.follow(server);
      });
    });
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Keeps the previous certificate if the files are invalid, because they may be written at the moment. */
  async #renew(server: Pick<Server, 'setSecureContext'>): Promise<void> {
    const before = this.#current;
    try {
      const { cert, key } = await this.read();
      if (cert !== before?.cert || key !== before.key) {
        server.setSecureContext({ cert, key });
        this.#options.logger.info('serving a new certificate', { certFile: this.#options.files.certFile });
      }
      this.#isBroken = false;
    } catch (error) {
      this.#current = before;
      if (!this.#isBroken) {
        this.#options.logger.warn('failed to reload certificate, serving the previous one', { error });
      }
      this.#isBroken = true;
    }
  }
}
