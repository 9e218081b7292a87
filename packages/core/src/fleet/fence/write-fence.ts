import type { Clock, Timer } from '@mcr/client';
import type { ClusterName } from '../multicluster/cluster-name.ts';
import { NotOwnerError, type NotOwnerErrorOptions } from '../multicluster/not-owner-error.ts';

/** Default of {@link WriteFenceOptions.writeDeadline}, in milliseconds. */
export const WRITE_DEADLINE = 5_000;

/** Options of a {@link WriteFence}. */
export interface WriteFenceOptions {
  readonly clusterName: ClusterName;
  readonly clock: Clock;
  /**
   * Returns whether this replica may write to the cluster now: the cluster's slot is active here, and the own Lease was
   * renewed recently enough. Called right before each attempt of each write.
   */
  readonly mayWrite: () => boolean;
  /** Describes who owns the cluster. Called once for each refused attempt. Default: the owner is unknown. */
  readonly refusal?: () => Pick<NotOwnerErrorOptions, 'owner' | 'reason'>;
  /**
   * Time after which the server no longer applies a write, and deadline of each write, in milliseconds. Default: 5,000.
   */
  readonly writeDeadline?: number;
}

/** One write, from its first attempt to its last. */
export interface FencedWrite {
  /** Called right before each attempt is sent. @throws {NotOwnerError} if the fence is closed. */
  sends(): void;
  /** The server has answered the latest attempt, or certainly did not process it. */
  answered(): void;
}

/**
 * Lets writes to one cluster pass only while this replica owns the cluster, and tracks the writes that were sent and
 * have no answer, because the server may still apply them. Such a write counts until it is answered, but not longer than
 * the write deadline.
 */
export class WriteFence {
  readonly #options: WriteFenceOptions;
  /** Deadline of each write, in milliseconds. */
  readonly writeDeadline: number;
  /** When the latest attempt of each unanswered write was sent, oldest first. Created by the first write. */
  #sentAt: Map<FencedWrite, number> | undefined;
  /** Callbacks of {@link onSettled}. */
  readonly #waiting = new Set<() => void>();
  /** Timer until the oldest unanswered write expires, while a listener waits. */
  #timer: Timer | undefined;

  constructor(options: WriteFenceOptions) {
    this.#options = options;
    this.writeDeadline = options.writeDeadline ?? WRITE_DEADLINE;
  }

  get clusterName(): ClusterName {
    return this.#options.clusterName;
  }

  /** Number of writes that were sent and that the server may still apply. */
  get unanswered(): number {
    this.#expire();
    return this.#sentAt?.size ?? 0;
  }

  /** Whether the server may apply none of the writes that were sent so far, because it has answered or dropped them. */
  get isSettled(): boolean {
    return this.unanswered === 0;
  }

  /**
   * Calls `listener` once as soon as {@link isSettled} is true, which takes at most the write deadline after the fence
   * has closed. Calls it before it returns if that is the case already.
   *
   * @returns a function that removes the listener.
   */
  onSettled(listener: () => void): () => void {
    if (this.isSettled) {
      listener();
      return () => undefined;
    }
    // A wrapper, because the same function may wait twice.
    const waiting = () => listener();
    this.#waiting.add(waiting);
    this.#arm();
    return () => {
      this.#waiting.delete(waiting);
      this.#arm();
    };
  }

  /** @throws {NotOwnerError} if the fence is closed. */
  check(): void {
    const { clusterName, mayWrite, refusal } = this.#options;
    if (!mayWrite()) throw new NotOwnerError(clusterName, refusal?.());
  }

  /** Begins a write. Nothing counts until {@link FencedWrite.sends}. */
  begin(): FencedWrite {
    const write: FencedWrite = {
      sends: () => this.#sends(write),
      answered: () => this.#answered(write),
    };
    return write;
  }

  #sends(write: FencedWrite): void {
    const { clock } = this.#options;
    try {
      this.check();
    } catch (error) {
      // A write is sent again only if the server certainly did not process the previous attempt.
      this.#answered(write);
      throw error;
    }
    this.#expire();
    this.#sentAt ??= new Map();
    // Moves to the end of the order.
    this.#sentAt.delete(write);
    this.#sentAt.set(write, clock.now());
  }

  #answered(write: FencedWrite): void {
    if (this.#sentAt?.delete(write)) this.#settle();
  }

  #expire(): void {
    const { clock } = this.#options;
    for (const [write, sentAt] of this.#sentAt ?? []) {
      if (clock.now() - sentAt < this.writeDeadline) return;
      this.#sentAt?.delete(write);
    }
  }

  /** Notifies the waiting listeners if nothing is unanswered, or waits for the oldest write to expire. */
  #settle(): void {
    if (this.#waiting.size === 0) return;
    if (this.isSettled) {
      const listeners = [...this.#waiting];
      this.#waiting.clear();
      this.#arm();
      for (const listener of listeners) listener();
    } else this.#arm();
  }

  #arm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const [oldest] = this.#sentAt?.values() ?? [];
    if (this.#waiting.size === 0 || oldest === undefined) return;
    const { clock } = this.#options;
    this.#timer = clock.schedule(oldest + this.writeDeadline - clock.now(), () => {
      this.#timer = undefined;
      this.#settle();
    });
  }
}
