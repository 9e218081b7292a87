import type { Schedule } from './fault.ts';
import { Random } from './random.ts';

/** A rule that is in force. */
export interface Injection extends Disposable {
  /** How many connections or requests it has struck. */
  readonly hits: number;
  /** Ends the fault, of what it has struck too. Harmless when it has ended. */
  readonly remove: () => void;
}

/** A fault as it is on one subject. */
export interface Affliction<F> {
  readonly fault: F;
  /** Aborts when the rule is removed. */
  readonly over: AbortSignal;
  /** Bytes from the server that have passed since. */
  passed: number;
}

/** A connection, or a request and its answer. */
export interface Subject<F, M> {
  /** Whether it is one that a rule for `match` is on. */
  matches(match: M): boolean;
  /** `undefined`: for this fault it is too late. */
  afflict(affliction: Affliction<F>): 'struck' | undefined;
}

interface Entry<F, M> {
  readonly match: M;
  readonly fault: F;
  readonly over: AbortSignal;
  /** Counts a match, and says whether the fault strikes. */
  decide(): boolean;
  struck(): void;
}

/** The rules on connections or on requests: decides what befalls each of them, by the order in which they come. */
export class Rulebook<F, M> {
  readonly #seed: number;
  readonly #entries = new Set<Entry<F, M>>();
  readonly #open = new Set<Subject<F, M>>();
  #count = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  inject(fault: F, match: M, when: Schedule): Injection {
    // Each rule has dice of its own, so that one more rule changes nothing about the others.
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
      struck: () => (hits += 1),
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

  /** A new subject, which the rules are on from now until {@link closed}. */
  opened(subject: Subject<F, M>): void {
    this.#open.add(subject);
    for (const entry of this.#entries) this.#apply(entry, subject);
  }

  closed(subject: Subject<F, M>): void {
    this.#open.delete(subject);
  }

  #apply(entry: Entry<F, M>, subject: Subject<F, M>): void {
    if (!subject.matches(entry.match) || !entry.decide()) return;
    if (subject.afflict({ fault: entry.fault, over: entry.over, passed: 0 })) entry.struck();
  }
}
