import type { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { certificatesIn, hasIssued } from './authorities.ts';

interface Files {
  /** PEM file of the certificate and its intermediate authorities. */
  readonly certFile: string;
  /** PEM file of the authorities. */
  readonly caFile: string;
}

/** The file of the authorities that have issued a certificate. It is verified once for each change of one of both files. */
export class AuthoritiesFile {
  readonly #files: Files;
  #reading: Promise<string> | undefined;
  /** The contents of the files that were verified last. */
  #verified: { readonly authorities: string; readonly chain: string } | undefined;

  constructor(files: Files) {
    this.#files = files;
  }

  /**
   * Returns the authorities, in PEM. Calls at the same time share one read.
   *
   * @throws {Error} if a file cannot be read, or API servers could not verify the certificate.
   */
  read(): Promise<string> {
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #read(): Promise<string> {
    const { certFile, caFile } = this.#files;
    const [authorities, chain] = await Promise.all([readFile(caFile, 'utf8'), readFile(certFile, 'utf8')]);
    if (authorities !== this.#verified?.authorities || chain !== this.#verified.chain) {
      verify(authorities, chain, caFile);
      this.#verified = { authorities, chain };
    }
    return authorities;
  }
}

/** @throws {Error} if API servers could not verify the certificate. */
function verify(authorities: string, chain: string, file: string): void {
  let found: X509Certificate[];
  try {
    found = certificatesIn(authorities);
  } catch (cause) {
    throw new Error(`${file}: ${(cause as Error).message}: write the authorities of the certificate in PEM`, { cause });
  }
  if (hasIssued(found, certificatesIn(chain))) return;
  throw new Error(`${file}: none of its authorities has issued the certificate: write those of its issuer`);
}
