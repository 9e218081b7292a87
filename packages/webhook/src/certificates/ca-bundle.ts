import { X509Certificate } from 'node:crypto';

/** Maximum size of the CA bundle, in characters. A cluster stores it for each webhook. */
const MAX_SIZE = 512 * 1024;

const BEGIN = '-----BEGIN CERTIFICATE-----';
const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/gu;

/**
 * Returns the certificates in a PEM text.
 *
 * @throws {Error} if there is none, or one of them is cut off or damaged. API servers refuse every call then.
 */
export function certificatesIn(pem: string): X509Certificate[] {
  if (pem.length > MAX_SIZE) throw new Error(`expected at most ${MAX_SIZE} characters`);
  const blocks = pem.match(BLOCK) ?? [];
  if (blocks.length === 0) throw new Error('expected certificates in PEM');
  if (blocks.length < pem.split(BEGIN).length - 1) throw new Error('a certificate is cut off');
  return blocks.map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch (cause) {
      throw new Error(`certificate ${index + 1} is damaged`, { cause });
    }
  });
}

/** Reports whether one of the CAs has issued a certificate of the chain. */
export function hasIssued(cas: readonly X509Certificate[], chain: readonly X509Certificate[]): boolean {
  return chain.some((certificate) => cas.some((ca) => certificate.checkIssued(ca) && certificate.verify(ca.publicKey)));
}
