import type { ParsedSchedule } from './fault.ts';
import { Random } from './random.ts';

/** An active rule. */
export interface Injection extends Disposable {
  /** Number of connections or requests that the fault was applied to. */
  readonly hits: number;
  /** Removes the rule and ends its fault, also for open connections and requests. Can be called more than once. */
  readonly remove: () => void;
}

/** A fault that applies to one connection or request. */
export interface ActiveFault<F> {
  readonly fault: F;
  /** Aborts when the rule is removed. */
  readonly over: AbortSignal;
  /** Number of bytes from the server since the fault was applied. */
  passed: number;
}

/** A connection, or a request and its response. */
export interface Subject<F, M> {
  /** Reports whether a rule with this `match` applies. */
  matches(match: M): boolean;
  /** Applies the fault. Returns `undefined` if it is too late for this fault. */
  apply(activeFault: ActiveFault<F>): 'applied' | undefined;
}

interface Entry<F, M> {
  readonly match: M;
  readonly fault: F;
  readonly over: AbortSignal;
  /** Counts a match and decides whether the fault applies. */
  decide(): boolean;
  applied(): void;
}

/** The rules for connections or for requests. Decides by the order in which they arrive. */
export class Rulebook<F, M> {
  readonly #seed: number;
  readonly #entries = new Set<Entry<F, M>>();
  readonly #open = new Set<Subject<F, M>>();
  #count = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  inject(fault: F, match: M, when: ParsedSchedule): Injection {
    // Each rule has its own generator, so that adding a rule does not change the decisions of others.
    const random = new Random(this.#seed + 0x9e3779b9 * this.#count++);
    const end = new AbortController();
    let seen = 0;
    let hits = 0;
    const entry: Entry<F, M> = {
      match,
      fault,
      over: end.signal,
      decide() {
        const index = seen++ - when.skip;
        return index >= 0 && index % when.every === 0 && hits < when.times && random.next() < when.probability;
      },
      applied: () => (hits += 1),
    };
    const remove = (): void => {
      clearTimeout(timer);
      this.#entries.delete(entry);
      end.abort();
    };
    const timer = when.for === undefined ? undefined : setTimeout(remove, when.for).unref();
    this.#entries.add(entry);
    for (const subject of this.#open) this.#apply(entry, subject);
    return {
      get hits() {
        return hits;
      },
      remove,
      [Symbol.dispose]: remove,
    };
  }

  /** Applies the rules to a new connection or request, until {@link closed}. */
  opened(subject: Subject<F, M>): void {
    this.#open.add(subject);
    for (const entry of this.#entries) this.#apply(entry, subject);
  }

  closed(subject: Subject<F, M>): void {
    this.#open.delete(subject);
  }

  #apply(entry: Entry<F, M>, subject: Subject<F, M>): void {
    if (!subject.matches(entry.match) || !entry.decide()) return;
    if (subject.apply({ fault: entry.fault, over: entry.over, passed: 0 })) entry.applied();
  }
}
