import type { Clock, Timer } from '../clock/clock.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import type { Informer, InformerHandler, Subscription } from './informer.ts';

/**
 * Time that an informer keeps running after its last subscription was removed, in milliseconds. A source that times out
 * during a slow sync and retries within that time continues with the same informer.
 */
const LINGER = 60_000;

export interface InformerEntryOptions<I> {
  readonly informer: I;
  readonly clock: Clock;
  /** Whether the cache runs. If it does not, no timer is started that would keep the process alive. */
  readonly isRunning: () => boolean;
  /** Removes the entry from the cache. */
  readonly onRelease: () => void;
}

/** An informer in a cache and its users. If it has had only subscribers, it is released after the last one was removed. */
export class InformerEntry<I extends Informer<KubernetesObject>> {
  readonly informer: I;
  /** The other informers that answer reads of the kind. */
  otherReaders: readonly I[] = [];
  readonly #clock: Clock;
  readonly #isRunning: () => boolean;
  readonly #onRelease: () => void;
  readonly #controller = new AbortController();
  #subscribers = 0;
  #isKept = false;
  #linger: Timer | undefined;

  constructor({ informer, clock, isRunning, onRelease }: InformerEntryOptions<I>) {
    this.informer = informer;
    this.#clock = clock;
    this.#isRunning = isRunning;
    this.#onRelease = onRelease;
  }

  /** Aborts when the informer must stop. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Marks that a caller holds the informer itself: it is never released. */
  keep(): void {
    this.#isKept = true;
    this.#cancelRelease();
  }

  /** Marks that a read uses the informer. Without subscribers, it was created for reads, and is kept for them. */
  read(): void {
    if (this.#subscribers === 0) this.keep();
  }

  subscribe(handler: InformerHandler<KubernetesObject>): Subscription<KubernetesObject> {
    const registration = this.informer.addHandler(handler);
    this.#cancelRelease();
    this.#subscribers += 1;
    let isRemoved = false;
    return {
      informer: this.informer,
      synced: registration.synced,
      get hasSynced() {
        return registration.hasSynced;
      },
      remove: () => {
        registration.remove();
        if (isRemoved) return;
        isRemoved = true;
        this.#subscribers -= 1;
        if (this.#subscribers > 0 || this.#isKept || this.signal.aborted) return;
        if (this.#isRunning()) this.#linger = this.#clock.schedule(LINGER, () => this.#onRelease());
        else this.#onRelease();
      },
    };
  }

  stop(reason: Error): void {
    this.#cancelRelease();
    this.#controller.abort(reason);
  }

  #cancelRelease(): void {
    this.#linger?.cancel();
    this.#linger = undefined;
  }
}
