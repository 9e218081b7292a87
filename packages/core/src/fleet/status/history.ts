import type { ClusterTransition } from './fleet.ts';

/** Maximum number of transitions of one cluster. */
const MAX_TRANSITIONS = 50;
/** Maximum size of all their reasons together, in characters. */
const MAX_SIZE = 16 * 1024;

/** The latest transitions of one cluster, oldest first, bounded by their number and size. */
export class History {
  #transitions: ClusterTransition[] = [];
  #size = 0;
  /** The problem of the latest transition, if any. */
  #problem: string | undefined;

  get isEmpty(): boolean {
    return this.#transitions.length === 0;
  }

  get transitions(): ClusterTransition[] {
    return [...this.#transitions];
  }

  /**
   * Adds a transition. If it has the same phase and problem as the latest one, it only replaces the reason, so that a
   * server that words each failure differently does not evict all other transitions.
   */
  add(transition: ClusterTransition, problem: string | undefined): void {
    const latest = this.#transitions.at(-1);
    const goesOn = problem !== undefined && problem === this.#problem && latest?.phase === transition.phase;
    if (goesOn) this.#size -= this.#transitions.pop()?.reason.length ?? 0;
    this.#transitions.push(goesOn ? { ...transition, at: latest.at } : transition);
    this.#size += transition.reason.length;
    this.#problem = problem;
    while (this.#transitions.length > MAX_TRANSITIONS || this.#size > MAX_SIZE) {
      this.#size -= this.#transitions.shift()?.reason.length ?? 0;
    }
  }
}
