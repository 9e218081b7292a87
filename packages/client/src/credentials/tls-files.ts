import { readFile } from 'node:fs/promises';
import type { Clock } from '../clock/clock.ts';
import type { TlsConfig } from '../config/cluster-config.ts';
import { TransportError } from '../errors/transport-error.ts';
import { secureContextOf } from './secure-context.ts';
import { FILE_PERIOD } from './token-file.ts';

const FILES = [
  ['caFile', 'caData'],
  ['certFile', 'certData'],
  ['keyFile', 'keyData'],
] as const;

/** Whether `tls` refers to no files. */
export function isInline(tls: TlsConfig | undefined): boolean {
  return !FILES.some(([file]) => tls?.[file] !== undefined);
}

/** Checks `tls` without reading files. @throws {TypeError} if fields contradict one another, or data is not a PEM. */
export function checkTls(tls: TlsConfig = {}): void {
  for (const [file, data] of FILES) {
    if (tls[file] !== undefined && tls[data] !== undefined) {
      throw new TypeError(`tls.${file} is set together with tls.${data}: keep only one of them`);
    }
  }
  const cert = tls.certFile ?? tls.certData;
  const key = tls.keyFile ?? tls.keyData;
  if ((cert === undefined) !== (key === undefined)) {
    throw new TypeError(
      'tls has a client certificate without a key, or a key without a certificate: set both or neither',
    );
  }
  if ([tls.caData, tls.certData].every((data) => data === undefined)) return;
  try {
    secureContextOf(tls);
  } catch (cause) {
    throw new TypeError(
      'tls.caData, tls.certData or tls.keyData is not valid: expected PEM, and a key that matches the certificate',
      { cause },
    );
  }
}

/**
 * Reads the TLS files of a config, again when they change. A certificate and its key are replaced one after the other.
 * Until they match, and while a file cannot be read, the previous contents stay in use.
 */
export class TlsFiles {
  readonly #config: TlsConfig;
  readonly #host: string;
  readonly #clock: Clock;
  #tls: TlsConfig | undefined;
  #readAt = -Infinity;
  #reading: Promise<void> | undefined;

  constructor(config: TlsConfig, host: string, clock: Clock) {
    this.#config = config;
    this.#host = host;
    this.#clock = clock;
  }

  /**
   * Returns the config with the contents of the files as data: the same object until they change.
   *
   * @throws {TransportError} with the code `credentials`, if the files were never valid.
   */
  async current(): Promise<TlsConfig> {
    if (!this.#tls || this.#clock.now() - this.#readAt >= FILE_PERIOD) {
      this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
      await this.#reading;
    }
    return this.#tls ?? this.#config;
  }

  /** Makes the next call of {@link current} read the files again. */
  expire(): void {
    this.#readAt = -Infinity;
  }

  async #read(): Promise<void> {
    try {
      const tls = await withContents(this.#config);
      if (!this.#tls || FILES.some(([, data]) => tls[data] !== this.#tls?.[data])) {
        // Throws if the certificate was replaced and its key was not yet.
        secureContextOf(tls);
        this.#tls = tls;
      }
    } catch (cause) {
      if (!this.#tls) {
        throw new TransportError('credentials', this.#host, 'the files of tls are not valid', { cause });
      }
    }
    this.#readAt = this.#clock.now();
  }
}

/** Reads one file after the other, so that errors always name the first file that fails. */
async function withContents(config: TlsConfig): Promise<TlsConfig> {
  const { caFile, certFile, keyFile, ...inline } = config;
  return {
    ...inline,
    ...(caFile !== undefined && { caData: await readPem(caFile, 'caFile') }),
    ...(certFile !== undefined && { certData: await readPem(certFile, 'certFile') }),
    ...(keyFile !== undefined && { keyData: await readPem(keyFile, 'keyFile') }),
  };
}

async function readPem(path: string, field: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw new Error(`tls.${field} cannot be read: ${path}`, { cause });
  }
  if (!text.includes('-----BEGIN ')) throw new Error(`tls.${field} is not a PEM: ${path}`);
  return text;
}
