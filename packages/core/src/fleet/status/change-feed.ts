import type { ClusterName } from '../multicluster/cluster-name.ts';
import type { ClusterStatus } from './fleet.ts';

/**
 * A feed of changes for one reader. It keeps only the latest unread state of each cluster, so that a slow reader sees
 * fewer changes and needs no more memory than the fleet itself.
 */
export class ChangeFeed {
  readonly #pending = new Map<ClusterName, () => ClusterStatus>();
  readonly #signal: AbortSignal;
  readonly #onEnd: () => void;
  #wake: () => void = () => undefined;

  /**
   * @param signal ends the feed.
   * @param onEnd called when the feed has ended or its reader has stopped reading.
   */
  constructor(signal: AbortSignal, onEnd: () => void) {
    this.#signal = signal;
    this.#onEnd = onEnd;
    if (!signal.aborted) signal.addEventListener('abort', this.#end, { once: true });
  }

  /** @param status called when the reader takes the change. */
  push(name: ClusterName, status: () => ClusterStatus): void {
    this.#pending.set(name, status);
    this.#wake();
  }

  async *read(): AsyncGenerator<ClusterStatus, undefined> {
    try {
      while (!this.#signal.aborted) {
        const [next] = this.#pending;
        if (next) {
          this.#pending.delete(next[0]);
          yield next[1]();
        } else {
          await new Promise<void>((resolve) => (this.#wake = resolve));
        }
      }
    } finally {
      this.#end();
    }
  }

  readonly #end = () => {
    this.#signal.removeEventListener('abort', this.#end);
    this.#wake();
    this.#onEnd();
  };
}
