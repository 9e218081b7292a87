import { CollectionProbe } from './collection-probe.ts';
import { collections } from './collections.ts';
import { EventLease, type LeasedMemory } from './event-lease.ts';

/** Time that a lease takes up new events, in milliseconds. */
const OPEN_FOR = 1_000;
/** Age in milliseconds from which a lease that is still referenced is detached. */
const DETACH_AFTER = 10_000;
/** Number of dead leases at the start of the queue from which the queue is cut. */
const CUT_AFTER = 1_024;

/** The leases of one store's events. Their memory must not be used again before it is released. */
export class EventLeases {
  /** Leases that may be referenced, in the order of their numbers. The first ones, up to {@link #dead}, are not. */
  #queue: WeakRef<EventLease>[] = [];
  #dead = 0;
  /** Number of the first lease of {@link #queue}. */
  #firstNumber = 1;
  /** Number of collections at the latest look at the queue. */
  #lookedAt = -1;
  /** The lease for new events. */
  #open: EventLease | undefined;

  /** The lease for the next object of an event. */
  get current(): EventLease {
    if (this.#open && !this.#open.isFull) return this.#open;
    this.#open = new EventLease(this.#firstNumber + this.#queue.length, performance.now());
    this.#queue.push(new WeakRef(this.#open));
    sweeper.add(this);
    return this.#open;
  }

  /** Reports whether an event may refer to `memory`. */
  isReferenced(memory: LeasedMemory): boolean {
    if (memory.lastLease === 0) return false;
    this.#skipDead();
    return memory.lastLease >= this.#firstNumber + this.#dead;
  }

  /** Copies what events need of `memory`. Afterwards none refers to it. */
  release(memory: LeasedMemory): void {
    if (memory.lastLease > 0) this.#detachThrough(memory.lastLease);
    memory.lastLease = 0;
  }

  /**
   * Closes the current lease after a while, and detaches old leases, so that each event keeps its own bytes only.
   *
   * @param collectedAt a time before the latest garbage collection. An older lease without references has been collected.
   * @returns whether there are leases left.
   */
  sweep(now: number, collectedAt: number): boolean {
    if (this.#open && now - this.#open.openedAt >= OPEN_FOR) this.#open = undefined;
    const before = Math.min(now - DETACH_AFTER, collectedAt);
    this.#skipDead();
    for (let lease = this.#first(); lease && lease.openedAt < before; lease = this.#first()) {
      this.#detachThrough(lease.number);
      this.#skipDead();
    }
    return this.#dead < this.#queue.length;
  }

  #first(): EventLease | undefined {
    return this.#queue[this.#dead]?.deref();
  }

  /**
   * Skips leases that have been collected. Looks at most once after each collection: reading a weak reference while V8
   * looks for garbage keeps its target, so that frequent looks would keep the first lease forever.
   */
  #skipDead(): void {
    if (this.#lookedAt === collections.count) return;
    this.#lookedAt = collections.count;
    while (this.#dead < this.#queue.length && !this.#first()) this.#dead += 1;
    if (this.#dead < CUT_AFTER && this.#dead < this.#queue.length) return;
    this.#queue = this.#queue.slice(this.#dead);
    this.#firstNumber += this.#dead;
    this.#dead = 0;
  }

  /** Detaches all leases up to a number. */
  #detachThrough(number: number): void {
    if (this.#open && this.#open.number <= number) this.#open = undefined;
    for (; this.#firstNumber + this.#dead <= number && this.#dead < this.#queue.length; this.#dead += 1) {
      this.#first()?.detach();
    }
  }
}

/** Sweeps the leases of all stores, while there are any. */
class Sweeper {
  readonly #leases = new Set<EventLeases>();
  #timer: NodeJS.Timeout | undefined;
  readonly #probe = new CollectionProbe();

  add(leases: EventLeases): void {
    this.#leases.add(leases);
    this.#timer ??= setInterval(() => this.#sweep(), OPEN_FOR).unref();
  }

  #sweep(): void {
    const now = performance.now();
    const collectedAt = this.#probe.collectedAt(now);
    for (const leases of this.#leases) if (!leases.sweep(now, collectedAt)) this.#leases.delete(leases);
    if (this.#leases.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

const sweeper = new Sweeper();
