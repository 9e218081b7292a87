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

/** Whether `tls` is whole without reading a file. */
export function isInline(tls: TlsConfig | undefined): boolean {
  return !FILES.some(([file]) => tls?.[file] !== undefined);
}

/** @throws {TypeError} when fields contradict one another, or hold what is no PEM. Files are not looked at. */
export function checkTls(tls: TlsConfig = {}): void {
  for (const [file, data] of FILES) {
    if (tls[file] !== undefined && tls[data] !== undefined) {
      throw new TypeError(`tls.${file} stands beside tls.${data}: keep one of the two`);
    }
  }
  const cert = tls.certFile ?? tls.certData;
  const key = tls.keyFile ?? tls.keyData;
  if ((cert === undefined) !== (key === undefined)) {
    throw new TypeError('tls has a client certificate or a key without the other: give both, or neither');
  }
  if ([tls.caData, tls.certData].every((data) => data === undefined)) return;
  try {
    secureContextOf(tls);
  } catch (cause) {
    throw new TypeError(
      'tls.caData, tls.certData or tls.keyData cannot be used: expected PEM, and a key that belongs to the certificate',
      { cause },
    );
  }
}

/**
 * The TLS files of a config, read again when they have changed. A certificate and its key are replaced one after the
 * other: until they belong together again, and while a file cannot be read, what was read before stays in use.
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
   * The config with the files' contents as data: the same object for as long as they are the same.
   *
   * @throws {TransportError} with the code `credentials`, when there never was anything usable in them.
   */
  async current(): Promise<TlsConfig> {
    if (!this.#tls || this.#clock.now() - this.#readAt >= FILE_PERIOD) {
      this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
      await this.#reading;
    }
    return this.#tls ?? this.#config;
  }

  /** Something did not do: the files are read again at once. */
  expire(): void {
    this.#readAt = -Infinity;
  }

  async #read(): Promise<void> {
    try {
      const tls = await withContents(this.#config);
      if (!this.#tls || FILES.some(([, data]) => tls[data] !== this.#tls?.[data])) {
        // Throws between the writing of a certificate and that of its key.
        secureContextOf(tls);
        this.#tls = tls;
      }
    } catch (cause) {
      if (!this.#tls) {
        throw new TransportError('credentials', this.#host, 'the files of tls cannot be used', { cause });
      }
    }
    this.#readAt = this.#clock.now();
  }
}

/** One file after the other, so that of several that cannot be used it is always the same one that is named. */
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
