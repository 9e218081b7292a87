import type { X509Certificate } from 'node:crypto';
import type { Clock } from '@mcr/core';
import { FollowedFiles } from '@mcr/core/provider';
import { certificatesIn, hasIssued } from './ca-bundle.ts';

interface CaFileOptions {
  /** PEM file of the certificate and its intermediate CAs. */
  readonly certFile: string;
  /** PEM file of the CAs. */
  readonly caFile: string;
  readonly clock: Clock;
}

/**
 * Returns the file of the CAs that have issued a certificate. Its content is the CA bundle, in PEM. A read fails if API
 * servers could not verify the certificate with it.
 */
export function followedCas({ certFile, caFile, clock }: CaFileOptions): FollowedFiles<string> {
  return new FollowedFiles({
    files: [caFile, certFile],
    clock,
    parse: ([caBundle = '', chain = '']) => {
      verify(caBundle, chain, caFile);
      return caBundle;
    },
  });
}

/** @throws {Error} if API servers could not verify the certificate. */
function verify(caBundle: string, chain: string, file: string): void {
  let found: X509Certificate[];
  try {
    found = certificatesIn(caBundle);
  } catch (cause) {
    throw new Error(`${file}: ${(cause as Error).message}: write the CA of the certificate in PEM`, { cause });
  }
  if (hasIssued(found, certificatesIn(chain))) return;
  throw new Error(`${file}: none of its CAs has issued the certificate: write that of its issuer`);
}
