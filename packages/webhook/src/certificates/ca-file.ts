import type { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { certificatesIn, hasIssued } from './ca-bundle.ts';

interface Files {
  /** PEM file of the certificate and its intermediate CAs. */
  readonly certFile: string;
  /** PEM file of the CAs. */
  readonly caFile: string;
}

interface CaFileOptions {
  readonly files: Files;
  /** Called when a read has another result than the previous one: another CA bundle, or another error. */
  readonly onChange: () => void;
}

/** The file of the CAs that have issued a certificate. It is verified once for each change of one of both files. */
export class CaFile {
  readonly #options: CaFileOptions;
  #reading: Promise<string> | undefined;
  /** The contents of the files that were verified last. */
  #verified: { readonly caBundle: string; readonly chain: string } | undefined;
  /** The CA bundle or the error of the latest read. */
  #result: string | undefined;

  constructor(options: CaFileOptions) {
    this.#options = options;
  }

  /**
   * Returns the CA bundle, in PEM. Calls at the same time share one read.
   *
   * @throws {Error} if a file cannot be read, or API servers could not verify the certificate.
   */
  read(): Promise<string> {
    this.#reading ??= this.#readAndCompare().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #readAndCompare(): Promise<string> {
    try {
      const caBundle = await this.#read();
      this.#compare(caBundle);
      return caBundle;
    } catch (error) {
      this.#compare(String(error));
      throw error;
    }
  }

  #compare(result: string): void {
    const isChanged = this.#result !== undefined && this.#result !== result;
    this.#result = result;
    if (isChanged) this.#options.onChange();
  }

  async #read(): Promise<string> {
    const { certFile, caFile } = this.#options.files;
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
