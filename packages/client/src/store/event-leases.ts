import { workInTurns } from '../clock/event-loop-turn.ts';
import { BlockReader } from './block-reader.ts';
import { collections } from '../garbage/collections.ts';
import { backgroundFailure } from '../log/background-failure.ts';
import { EventLease, type LeasedMemory } from './event-lease.ts';

/** Time that a lease takes up new events, in milliseconds. */
const OPEN_FOR = 1_000;
/** Age in milliseconds from which a lease that is still referenced is detached. */
const DETACH_AFTER = 10_000;
/** Number of dead leases at the start of the queue from which the queue is cut. */
const CUT_AFTER = 1_024;

/** A lease without a reference that keeps it. */
interface WeakLease {
  readonly openedAt: number;
  readonly lease: WeakRef<EventLease>;
}

/** The leases of one store's events. Their memory must not be used again before it is released. */
export class EventLeases {
  /** Leases that may be referenced, in the order of their numbers. The first ones, up to {@link #dead}, are not. */
  #queue: WeakLease[] = [];
  #dead = 0;
  /** Number of the first lease of {@link #queue}. */
  #firstNumber = 1;
  /** Number of collections at the latest look at the queue. */
  #lookedAt = -1;
  /** The lease for new events. */
  #open: EventLease | undefined;

  readonly #blocks: BlockReader;

  /** @param blocks opens compressed entries that are copied. */
  constructor(blocks = new BlockReader()) {
    this.#blocks = blocks;
  }

  /** Returns the lease for an object of an event. */
  leaseFor(memory: LeasedMemory, entry: number): EventLease {
    if (this.#open?.hasRoomFor(memory, entry)) return this.#open;
    // An integer takes no memory of its own.
    const openedAt = Math.floor(performance.now());
    this.#open = new EventLease(this.#firstNumber + this.#queue.length, openedAt, this.#blocks);
    this.#queue.push({ openedAt, lease: new WeakRef(this.#open) });
    sweeper.add(this);
    return this.#open;
  }

  /** Reports whether an event may refer to `memory`. */
  isReferenced(memory: LeasedMemory): boolean {
    if (memory.lastLease === 0) return false;
    this.#skipDead();
    return memory.lastLease >= this.#firstNumber + this.#dead;
  }

  /**
   * Closes the current lease after a while, and detaches old leases, so that events keep copies of entries and no slabs.
   *
   * @param collectedAt a time before the latest garbage collection. An older lease without references has been collected.
   */
  async sweep(now: number, collectedAt: number): Promise<void> {
    if (this.#open && now - this.#open.openedAt >= OPEN_FOR) this.#open = undefined;
    this.#skipDead();
    // In turns, because a copy of every event may take long.
    await workInTurns(this.#detachOlderThan(Math.min(now - DETACH_AFTER, collectedAt)), () => true);
    this.#cut();
  }

  /** Whether no leases are left. */
  get isEmpty(): boolean {
    return this.#dead === this.#queue.length;
  }

  #first(): EventLease | undefined {
    return this.#queue[this.#dead]?.lease.deref();
  }

  /**
   * Skips leases that have been collected. Looks at most once after each collection: reading a weak reference while V8
   * looks for garbage keeps its target, so that frequent looks would keep the first lease forever.
   */
  #skipDead(): void {
    if (this.#lookedAt === collections.count) return;
    this.#lookedAt = collections.count;
    while (this.#dead < this.#queue.length && !this.#first()) this.#dead += 1;
    this.#cut();
  }

  /** Detaches leases, one in each step. Leases between others may have been collected, so the times are in the queue. */
  *#detachOlderThan(time: number): Generator<void, void, undefined> {
    while ((this.#queue[this.#dead]?.openedAt ?? Infinity) < time) {
      this.#first()?.detach();
      this.#dead += 1;
      yield;
    }
  }

  /** Cuts the dead leases off the queue when they are many, or all. */
  #cut(): void {
    if (this.#dead < CUT_AFTER && this.#dead < this.#queue.length) return;
    this.#queue = this.#queue.slice(this.#dead);
    this.#firstNumber += this.#dead;
    this.#dead = 0;
  }
}

/** Sweeps the leases of all stores, while there are any. */
class Sweeper {
  readonly #leases = new Set<EventLeases>();
  #timer: NodeJS.Timeout | undefined;
  #isSweeping = false;

  add(leases: EventLeases): void {
    this.#leases.add(leases);
    this.#timer ??= setInterval(() => void this.#sweep(), OPEN_FOR).unref();
  }

  async #sweep(): Promise<void> {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    try {
      for (const leases of this.#leases) {
        await leases
          .sweep(performance.now(), collections.collectedAt)
          .catch((error: unknown) => backgroundFailure('copying the objects of kept events', error));
        if (leases.isEmpty) this.#leases.delete(leases);
      }
    } finally {
      this.#isSweeping = false;
    }
    if (this.#leases.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

const sweeper = new Sweeper();
