import type { Server } from 'node:https';
import type { Clock, Logger } from '@mcr/client';
import { FollowedFiles } from './followed-files.ts';

/** Files of a serving certificate. */
export interface ServingCertificateFiles {
  /** PEM file of the certificate and its intermediate authorities. Reloaded when it changes. */
  readonly certFile: string;
  /** PEM file of its key. Reloaded when it changes. */
  readonly keyFile: string;
}

export interface ServingCertificateOptions {
  readonly files: ServingCertificateFiles;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A serving certificate whose files may be renewed. (Upstream: controller-runtime's `certwatcher`.) */
export class ServingCertificate {
  readonly #options: ServingCertificateOptions;
  readonly #files: FollowedFiles<{ readonly cert: string; readonly key: string }>;

  constructor(options: ServingCertificateOptions) {
    const { files, clock } = options;
    this.#options = options;
    this.#files = new FollowedFiles({
      files: [files.certFile, files.keyFile],
      clock,
      parse: ([cert = '', key = '']) => ({ cert, key }),
    });
  }

  /** Returns the certificate and its key, in PEM. @throws {Error} if a file cannot be read; the message names it. */
  read(signal?: AbortSignal): Promise<{ readonly cert: string; readonly key: string }> {
    return this.#files.read(signal);
  }

  /**
   * Updates `server` whenever the files change, until {@link stop}. The server keeps the previous certificate while the files
   * are invalid, because they may be written at the moment.
   */
  follow(server: Pick<Server, 'setSecureContext'>): void {
    const { files, logger } = this.#options;
    this.#files.follow({
      changed: ({ cert, key }) => {
        server.setSecureContext({ cert, key });
        logger.info('serving a new certificate', { certFile: files.certFile });
      },
      failed: (error) => logger.warn('failed to reload certificate, serving the previous one', { error }),
    });
  }

  stop(): void {
    this.#files.stop();
  }
}
