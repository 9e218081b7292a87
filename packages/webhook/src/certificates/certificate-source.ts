import { join } from 'node:path';
import type { Clock, Logger } from '@mcr/core';
import { ServingCertificate } from '@mcr/core/provider';
import { AuthoritiesFile } from './authorities-file.ts';
import type { CertificateDirectory, CertificateFiles } from './certificate-options.ts';
import type { TrustDistribution } from './trust-distribution.ts';

/** A certificate and its key, in PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** The current serving certificate. */
export interface CertificateSource {
  /** Returns the certificate. @throws {Error} if there is none, with the reason. */
  read(signal: AbortSignal): Promise<KeyPair>;
  /** Gives further certificates to `server`, until {@link stop}. */
  follow(server: { setSecureContext(pair: KeyPair): void }): void;
  stop(): void;
  /**
   * Returns the authorities that API servers verify the certificate with, in PEM. `undefined` if they are not known.
   *
   * @throws {Error} if they are not valid, or have not issued the certificate.
   */
  authorities(): Promise<string | undefined>;
  /** Adds a distribution of the authorities. */
  distribute(distribution: TrustDistribution): void;
}

export interface CertificateSourceOptions {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Returns the source of certificate files. */
export function fileCertificate(
  options: CertificateDirectory | CertificateFiles,
  { clock, logger }: CertificateSourceOptions,
): CertificateSource {
  const { caFile, ...files } = filesOf(options);
  const authorities = caFile === undefined ? undefined : new AuthoritiesFile({ caFile, certFile: files.certFile });
  const certificate = new ServingCertificate({ files, clock, logger });
  let isMissingLogged = false;
  return {
    read: () => certificate.read(),
    follow: (server) => certificate.follow(server),
    stop: () => certificate.stop(),
    // Distributions read the files at their own interval. The author of the files keeps the previous authority in `ca.crt`.
    distribute: () => undefined,
    authorities: async () => {
      if (!authorities) return undefined;
      try {
        return await authorities.read();
      } catch (error) {
        // A Secret of cert-manager has no ca.crt if the issuer does not know its authority.
        const { code, path } = error as NodeJS.ErrnoException;
        if (!('certDir' in options) || code !== 'ENOENT' || path !== caFile) throw error;
        if (!isMissingLogged) {
          logger.warn('no authorities for API servers: they call webhooks only if they trust the certificate already', {
            file: caFile,
          });
        }
        isMissingLogged = true;
        return undefined;
      }
    },
  };
}

function filesOf(options: CertificateDirectory | CertificateFiles): CertificateFiles {
  if (!('certDir' in options)) return options;
  const { certDir } = options;
  return {
    certFile: join(certDir, 'tls.crt'),
    keyFile: join(certDir, 'tls.key'),
    caFile: join(certDir, 'ca.crt'),
  };
}
