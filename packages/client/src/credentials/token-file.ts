import { readFile } from 'node:fs/promises';
import type { Clock } from '../clock/clock.ts';
import { TransportError } from '../errors/transport-error.ts';
import type { Credential, CredentialSource } from './credential-source.ts';

/** Minimum time between two reads of a file, in milliseconds. */
export const FILE_PERIOD = 10_000;

/** Reads a projected service account token. The kubelet replaces the file long before the old token expires. */
export class TokenFile implements CredentialSource {
  readonly #path: string;
  readonly #host: string;
  readonly #clock: Clock;
  #token: string | undefined;
  #credential: Credential = { headers: {} };
  #readAt = -Infinity;
  #reading: Promise<void> | undefined;

  constructor(path: string, host: string, clock: Clock) {
    this.#path = path;
    this.#host = host;
    this.#clock = clock;
  }

  async current(): Promise<Credential> {
    if (this.#clock.now() - this.#readAt >= FILE_PERIOD) {
      this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
      await this.#reading;
    }
    return this.#credential;
  }

  rejected(credential: Credential): void {
    if (credential === this.#credential) this.#readAt = -Infinity;
  }

  close(): void {
    // A read in progress completes on its own.
  }

  /** Reads the file. If that fails, the last token stays in use, as in client-go. */
  async #read(): Promise<void> {
    try {
      const token = (await readFile(this.#path, 'utf8')).trim();
      if (!token) throw new Error('the file is empty');
      if (token !== this.#token) {
        this.#token = token;
        this.#credential = { headers: { authorization: `Bearer ${token}` } };
      }
    } catch (cause) {
      if (this.#token === undefined) {
        throw new TransportError('credentials', this.#host, `no token in the token file ${this.#path}`, { cause });
      }
    }
    this.#readAt = this.#clock.now();
  }
}
