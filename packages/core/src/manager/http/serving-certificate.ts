import { readFile } from 'node:fs/promises';
import type { Server } from 'node:https';
import type { Clock, Logger, Timer } from '@mcr/client';

/** The certificate that a server shows. */
export interface ServingCertificateFiles {
  /** PEM of the certificate, with those of the authorities between. Read again when it changes. */
  readonly certFile: string;
  /** PEM of its key. Read again when it changes. */
  readonly keyFile: string;
}

/** How often the files are looked at, in milliseconds. */
const PERIOD = 10_000;

export interface ServingCertificateOptions {
  readonly files: ServingCertificateFiles;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A certificate in files that somebody renews. (Upstream: controller-runtime's `certwatcher`.) */
export class ServingCertificate {
  readonly #options: ServingCertificateOptions;
  #current: { readonly cert: string; readonly key: string } | undefined;
  #timer: Timer | undefined;
  /** Told once, however long it lasts. */
  #isBroken = false;

  constructor(options: ServingCertificateOptions) {
    this.#options = options;
  }

  /** @throws {Error} that names the file, when one cannot be read. */
  async read(): Promise<{ readonly cert: string; readonly key: string }> {
    const { certFile, keyFile } = this.#options.files;
    const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
    this.#current = { cert, key };
    return this.#current;
  }

  /** Gives `server` what stands in the files, whenever that is something new, until {@link stop}. */
  follow(server: Pick<Server, 'setSecureContext'>): void {
    this.#timer = this.#options.clock.schedule(PERIOD, () => {
      void this.#renew(server).then(() => {
        if (this.#timer) this.follow(server);
      });
    });
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** What cannot be used, for a file may be half written, leaves the last one in place. */
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
        this.#options.logger.warn('the certificate cannot be renewed: the one before is served', { error });
      }
      this.#isBroken = true;
    }
  }
}
