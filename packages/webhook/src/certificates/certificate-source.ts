import type { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Logger } from '@mcr/core';
import { ServingCertificate } from '@mcr/core/provider';
import { certificatesIn, hasIssued } from './authorities.ts';
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
  const certificate = new ServingCertificate({ files, clock, logger });
  let isMissingLogged = false;
  return {
    read: () => certificate.read(),
    follow: (server) => certificate.follow(server),
    stop: () => certificate.stop(),
    // Distributions read the files at their own interval. The author of the files keeps the previous authority in `ca.crt`.
    distribute: () => undefined,
    authorities: async () => {
      if (caFile === undefined) return undefined;
      const authorities = await readFile(caFile, 'utf8').catch((error: unknown) => {
        // A Secret of cert-manager has no ca.crt if the issuer does not know its authority.
        if ('certDir' in options && (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      });
      if (authorities === undefined) {
        if (!isMissingLogged) {
          logger.warn('no authorities for API servers: they call webhooks only if they trust the certificate already', {
            file: caFile,
          });
        }
        isMissingLogged = true;
        return undefined;
      }
      checkAuthorities(authorities, await readFile(files.certFile, 'utf8'), caFile);
      return authorities;
    },
  };
}

/** @throws {Error} if API servers could not verify the certificate. */
function checkAuthorities(authorities: string, chain: string, file: string): void {
  let found: X509Certificate[];
  try {
    found = certificatesIn(authorities);
  } catch (cause) {
    throw new Error(`${file}: ${(cause as Error).message}: write the authorities of the certificate in PEM`, { cause });
  }
  if (hasIssued(found, certificatesIn(chain))) return;
  throw new Error(`${file}: none of its authorities has issued the certificate: write those of its issuer`);
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
