import type { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { certificatesIn, hasIssued } from './ca-bundle.ts';

interface Files {
  /** PEM file of the certificate and its intermediate CAs. */
  readonly certFile: string;
  /** PEM file of the CAs. */
  readonly caFile: string;
}

/** The file of the CAs that have issued a certificate. It is verified once for each change of one of both files. */
export class CaFile {
  readonly #files: Files;
  #reading: Promise<string> | undefined;
  /** The contents of the files that were verified last. */
  #verified: { readonly caBundle: string; readonly chain: string } | undefined;

  constructor(files: Files) {
    this.#files = files;
  }

  /**
   * Returns the CA bundle, in PEM. Calls at the same time share one read.
   *
   * @throws {Error} if a file cannot be read, or API servers could not verify the certificate.
   */
  read(): Promise<string> {
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #read(): Promise<string> {
    const { certFile, caFile } = this.#files;
    const [caBundle, chain] = await Promise.all([readFile(caFile, 'utf8'), readFile(certFile, 'utf8')]);
    if (caBundle !== this.#verified?.caBundle || chain !== this.#verified.chain) {
      verify(caBundle, chain, caFile);
      this.#verified = { caBundle, chain };
    }
    return caBundle;
  }
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
