import { join } from 'node:path';
import type { Clock, Logger } from '@mcr/core';
import { ServingCertificate } from '@mcr/core/provider';
import { followedCas } from './ca-file.ts';
import type { CertificateDirectory, CertificateFiles } from './certificate-options.ts';
import type { CaBundleConsumer } from './ca-bundle-consumer.ts';

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
   * Returns the CA bundle that API servers verify the certificate with, in PEM. `undefined` if they are not known.
   *
   * @throws {Error} if they are not valid, or have not issued the certificate.
   */
  caBundle(): Promise<string | undefined>;
  /** Adds a component that copies the CA bundle. */
  addConsumer(consumer: CaBundleConsumer): void;
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
  const consumers = new Set<CaBundleConsumer>();
  const cas = caFile === undefined ? undefined : followedCas({ certFile: files.certFile, caFile, clock });
  // Consumers read the file again, and report its error.
  const notify = (): void => {
    for (const consumer of consumers) consumer.caBundleChanged();
  };
  const certificate = new ServingCertificate({ files, clock, logger });
  let isMissingLogged = false;
  const warnOnce = (): void => {
    if (!isMissingLogged) {
      logger.warn('no CA bundle for API servers: they call webhooks only if they trust the certificate already', {
        ...(caFile === undefined ? { remedy: 'set caFile, or caBundle of installWebhooks' } : { file: caFile }),
      });
    }
    isMissingLogged = true;
  };
  return {
    read: (signal) => certificate.read(signal),
    follow: (server) => {
      certificate.follow(server);
      cas?.follow({ changed: notify, failed: notify });
    },
    stop: () => {
      certificate.stop();
      cas?.stop();
    },
    addConsumer: (consumer) => void consumers.add(consumer),
    caBundle: async () => {
      try {
        if (cas) return await cas.read();
      } catch (error) {
        // A Secret of cert-manager has no ca.crt if the issuer does not know its CA.
        const { code, path } = error as NodeJS.ErrnoException;
        if (!('certDir' in options) || code !== 'ENOENT' || path !== caFile) throw error;
      }
      warnOnce();
      return undefined;
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
