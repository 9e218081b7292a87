import type { EventQueue } from './event-queue.fixture.ts';

/** A process, as far as the oracle needs to know it. */
export interface Writer {
  readonly id: string;
  /** True time until which the process may write to a slot if nothing changes. `-Infinity` if it may not. */
  openUntil(slot: number): number;
  isActive(slot: number): boolean;
}

/** Thrown when a schedule violates a behaviour. */
export class Violation extends Error {}

/** Checks at each change of a process that no other has an open fence for its slots (SH-2). */
export class Oracle {
  readonly #queue: EventQueue;
  readonly #slots: number;
  readonly #open: Map<string, number>[];
  /** When each slot was last known to be active. */
  readonly lastActive: number[];

  constructor(queue: EventQueue, slots: number) {
    this.#queue = queue;
    this.#slots = slots;
    this.#open = Array.from({ length: slots }, () => new Map<string, number>());
    this.lastActive = new Array<number>(slots).fill(-Infinity);
  }

  changed(writer: Writer): void {
    const { now } = this.#queue;
    for (let slot = 0; slot < this.#slots; slot++) {
      const open = this.#open[slot];
      const until = writer.openUntil(slot);
      if (!open) continue;
      if (until <= now) {
        open.delete(writer.id);
        continue;
      }
      open.set(writer.id, until);
      if (writer.isActive(slot)) this.lastActive[slot] = now;
      for (const [other, otherUntil] of open) {
        if (other === writer.id || otherUntil <= now) continue;
        throw new Violation(`SH-2: ${writer.id} and ${other} may both write slot ${slot} at ${Math.round(now)} ms`);
      }
    }
  }
}
