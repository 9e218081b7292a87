import { readFile } from 'node:fs/promises';
import type { Clock } from '../clock/clock.ts';
import type { Auth, ClusterConfig, Impersonation } from '../config/cluster-config.ts';
import { TransportError } from './transport-error.ts';
import type { HeaderFields } from './wire.ts';

/** How long a token that was read from a file is used before the file is read again, in milliseconds. */
const TOKEN_FILE_PERIOD = 10_000;

/** The headers that say who sends a request. */
export interface Credentials {
  /** @throws {TransportError} with the code `credentials`, when there are none to be had. */
  headers(signal: AbortSignal): Promise<HeaderFields>;
  /** The server did not accept the last ones (401): what may be stale is not used again. */
  rejected(): void;
}

/** @throws {TypeError} when `config.auth` is of a type that this transport cannot speak. */
export function createCredentials(config: ClusterConfig, host: string, clock: Clock): Credentials {
  const source = authentication(config.auth, host, clock);
  const impersonation = config.impersonate ? impersonationHeaders(config.impersonate) : {};
  return {
    headers: async (signal) => checked({ ...(await source.headers(signal)), ...impersonation }, host),
    rejected: () => source.rejected(),
  };
}

function authentication(auth: Auth | undefined, host: string, clock: Clock): Credentials {
  switch (auth?.type) {
    case undefined:
      return constant({});
    case 'token':
      return constant({ authorization: `Bearer ${auth.token}` });
    case 'basic':
      return constant({
        authorization: `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`,
      });
    case 'tokenFile':
      return new TokenFile(auth.path, host, clock);
    case 'custom':
      return {
        headers: async (signal) => {
          try {
            return lowerCased(await auth.headers(signal));
          } catch (cause) {
            throw new TransportError('credentials', host, 'the headers of auth (type custom) could not be had', {
              cause,
            });
          }
        },
        rejected: () => undefined,
      };
    case 'authProvider':
      throw new TypeError(`auth.type authProvider (${auth.name}) cannot be used yet: give a token or a tokenFile`);
    case 'exec':
      throw new TypeError(
        `auth.type exec (command ${auth.command}) cannot be used yet: give a token, a tokenFile or a client certificate`,
      );
  }
}

function constant(headers: HeaderFields): Credentials {
  return { headers: () => Promise.resolve(headers), rejected: () => undefined };
}

/** A projected service account token: the kubelet replaces the file long before the old token expires. */
class TokenFile implements Credentials {
  readonly #path: string;
  readonly #host: string;
  readonly #clock: Clock;
  #token: string | undefined;
  #readAt = -Infinity;
  #reading: Promise<void> | undefined;

  constructor(path: string, host: string, clock: Clock) {
    this.#path = path;
    this.#host = host;
    this.#clock = clock;
  }

  async headers(): Promise<HeaderFields> {
    if (this.#clock.now() - this.#readAt >= TOKEN_FILE_PERIOD) {
      this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
      await this.#reading;
    }
    return { authorization: `Bearer ${this.#token}` };
  }

  rejected(): void {
    this.#readAt = -Infinity;
  }

  /** A file that cannot be read at this moment leaves the last token in use (as client-go does). */
  async #read(): Promise<void> {
    try {
      const token = (await readFile(this.#path, 'utf8')).trim();
      if (!token) throw new Error('the file is empty');
      this.#token = token;
    } catch (cause) {
      if (this.#token === undefined) {
        throw new TransportError('credentials', this.#host, `no token in the token file ${this.#path}`, { cause });
      }
    }
    this.#readAt = this.#clock.now();
  }
}

/** The API server's impersonation headers; keys of `extra` are escaped as client-go does it. */
function impersonationHeaders({ user, uid, groups, extra }: Impersonation): HeaderFields {
  const headers: Record<string, string | readonly string[]> = { 'impersonate-user': user };
  if (uid !== undefined) headers['impersonate-uid'] = uid;
  if (groups?.length) headers['impersonate-group'] = groups;
  for (const [key, values] of Object.entries(extra ?? {})) {
    headers[`impersonate-extra-${encodeURIComponent(key).toLowerCase()}`] = values;
  }
  return headers;
}

function lowerCased(headers: Readonly<Record<string, string>>): HeaderFields {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** HTTP/2 would send what is no header value, and a server would drop it unsaid. */
function checked(headers: HeaderFields, host: string): HeaderFields {
  for (const [name, value] of Object.entries(headers)) {
    if ([value].flat().some((text) => /[\0\r\n]/.test(text))) {
      throw new TransportError('credentials', host, `the value of the header ${name} must not hold a line break`);
    }
  }
  return headers;
}
