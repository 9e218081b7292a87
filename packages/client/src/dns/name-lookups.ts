import { ADDRCONFIG, lookup as systemLookup, type LookupAddress } from 'node:dns';
import { systemClock, type Clock } from '../clock/clock.ts';
import { queryDns } from './dns-query.ts';

/** Time after which the DNS is queried in addition to the system's resolver, in milliseconds. */
const HEAD_START = 1_000;

type Addresses = readonly LookupAddress[];

export interface NameLookupsOptions {
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Resolves a name with the system's resolver. Default: `getaddrinfo`. */
  readonly system?: (name: string) => Promise<Addresses>;
  /** Resolves a name without a thread of libuv's pool. Default: {@link queryDns}. */
  readonly dns?: (name: string, signal: AbortSignal) => Promise<Addresses>;
}

/** A lookup of the system's resolver in flight, with the DNS query for the same name. */
interface Lookup {
  /** Start time, by the clock. */
  readonly since: number;
  readonly answer: Promise<Addresses>;
  /** Aborted when the lookup ends, which cancels the query. */
  readonly ended: AbortController;
  query: Promise<Addresses> | undefined;
}

/**
 * Resolves host names. Names whose DNS does not respond do not block other names. `getaddrinfo` can take 15 s and more,
 * cannot be canceled, and libuv runs two calls at a time. Therefore:
 *
 * - Each name has at most one `getaddrinfo` call at a time, which all callers share. If a caller gives up, the call
 *   remains for the next caller.
 * - If the call takes more than a second, because it is slow or waits for a thread, the DNS is queried without a
 *   thread. The first result with addresses is used.
 * - Only the system's resolver decides that a name does not exist: the DNS query ignores `/etc/hosts` and search
 *   domains.
 */
export class NameLookups {
  readonly #clock: Clock;
  readonly #system: (name: string) => Promise<Addresses>;
  readonly #dns: (name: string, signal: AbortSignal) => Promise<Addresses>;
  readonly #pending = new Map<string, Lookup>();

  constructor({ clock = systemClock, system = getAddressInfo, dns = queryDns }: NameLookupsOptions = {}) {
    this.#clock = clock;
    this.#system = system;
    this.#dns = dns;
  }

  /**
   * Returns the addresses of `name`, of both families.
   *
   * @throws the error of the system's resolver, unless the DNS responds first.
   */
  resolve(name: string): Promise<Addresses> {
    const lookup = this.#pending.get(name) ?? this.#begin(name);
    return new Promise((resolve, reject) => {
      const timer = this.#clock.schedule(lookup.since + HEAD_START - this.#clock.now(), () => {
        this.#query(name, lookup).then(resolve, () => undefined);
      });
      lookup.answer.finally(() => timer.cancel()).then(resolve, reject);
    });
  }

  #begin(name: string): Lookup {
    const ended = new AbortController();
    const answer = this.#system(name).finally(() => {
      this.#pending.delete(name);
      ended.abort();
    });
    const lookup: Lookup = { since: this.#clock.now(), answer, ended, query: undefined };
    this.#pending.set(name, lookup);
    return lookup;
  }

  /** Joins the DNS query in flight, or starts one. The result is not cached: the next caller queries again. */
  #query(name: string, lookup: Lookup): Promise<Addresses> {
    return (lookup.query ??= this.#dns(name, lookup.ended.signal).finally(() => {
      lookup.query = undefined;
    }));
  }
}

/** The lookups of the process. All connections share them, because they share libuv's threads. */
export const nameLookups = new NameLookups();

function getAddressInfo(name: string): Promise<Addresses> {
  return new Promise((resolve, reject) => {
    // Omits address families that this machine does not support, as `net.connect` does by default.
    const hints = process.platform === 'win32' ? 0 : ADDRCONFIG;
    systemLookup(name, { all: true, hints }, (error, addresses) => {
      if (error) reject(error);
      else resolve(addresses);
    });
  });
}
