import { ADDRCONFIG, lookup as systemLookup, type LookupAddress } from 'node:dns';
import { systemClock, type Clock } from '../clock/clock.ts';
import { queryDns } from './dns-query.ts';

/** Milliseconds that the system's resolver has to itself before the DNS is queried too. */
const HEAD_START = 1_000;

type Addresses = readonly LookupAddress[];

export interface NameLookupsOptions {
  /** Default: the machine's clock. */
  readonly clock?: Clock;
  /** Resolves a name as the system does. Default: `getaddrinfo`. */
  readonly system?: (name: string) => Promise<Addresses>;
  /** Resolves a name without a thread of libuv's pool. Default: {@link queryDns}. */
  readonly dns?: (name: string, signal: AbortSignal) => Promise<Addresses>;
}

/** A lookup by the system that is in flight, and the DNS query beside it. */
interface Lookup {
  /** Instant of the clock at which it started. */
  readonly since: number;
  readonly answer: Promise<Addresses>;
  /** Aborted when the lookup ends, which cancels the query. */
  readonly ended: AbortController;
  query: Promise<Addresses> | undefined;
}

/**
 * Resolves host names so that names whose DNS does not answer do not block the others. `getaddrinfo` can take 15 s and
 * more, cannot be cancelled, and libuv runs two at a time. Therefore:
 *
 * - Each name has at most one `getaddrinfo` at a time. All callers share it. A caller that gives up leaves it to the
 *   next one.
 * - If it has not ended after a second, because it is slow or waits for a thread, the DNS is queried without a thread.
 *   The first addresses are used.
 * - Only the system says that a name does not exist: the DNS knows neither `/etc/hosts` nor search domains.
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
   * @throws what the system's resolver says, unless the DNS answers first.
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

  /** Joins the DNS query in flight, or starts one. An answer is not kept: the next caller queries again. */
  #query(name: string, lookup: Lookup): Promise<Addresses> {
    return (lookup.query ??= this.#dns(name, lookup.ended.signal).finally(() => {
      lookup.query = undefined;
    }));
  }
}

/** The lookups of the process: all connections share them, because they share libuv's threads. */
export const nameLookups = new NameLookups();

function getAddressInfo(name: string): Promise<Addresses> {
  return new Promise((resolve, reject) => {
    // Leaves out families that this machine has no address of, as `net.connect` does by default.
    const hints = process.platform === 'win32' ? 0 : ADDRCONFIG;
    systemLookup(name, { all: true, hints }, (error, addresses) => {
      if (error) reject(error);
      else resolve(addresses);
    });
  });
}
