import type { Clock } from '../clock/clock.ts';
import type { KubernetesList } from '../kinds/object.ts';
import type { PackedBatch } from '../packed/packed-batch.ts';
import { failureOf } from './failure.ts';
import type { ListerWatcher, ListRequest } from './lister-watcher.ts';
import type { ReflectorInput } from './reflector-state.ts';

type Result = IteratorResult<PackedBatch, KubernetesList<unknown>['metadata']>;

/**
 * A page of a list. It is requested at once and received when {@link next} is called, so a page that is requested early
 * needs little memory.
 */
export class RequestedPage {
  /** Token of the page; `undefined` for the first page. */
  readonly continue: string | undefined;
  readonly #clock: Clock;
  readonly #stream: AsyncGenerator<PackedBatch, KubernetesList<unknown>['metadata'], undefined>;
  /** The first result, until it is taken. */
  #first: Promise<ReflectorInput> | undefined;
  /** Token of the next page, as soon as it is known. */
  #token: string | undefined;
  #onContinue: ((token: string) => void) | undefined;

  constructor(
    listerWatcher: ListerWatcher,
    { request, clock }: { readonly request: ListRequest; readonly clock: Clock },
  ) {
    this.continue = request.continue;
    this.#clock = clock;
    this.#stream = listerWatcher.list({
      ...request,
      onContinue: (token) => {
        this.#token = token;
        this.#onContinue?.(token);
      },
    });
    this.#first = this.#receive();
  }

  /** Calls `listener` with the token of the next page, as soon as it is known. Replaces the previous listener. */
  onContinue(listener: (token: string) => void): void {
    this.#onContinue = listener;
    if (this.#token !== undefined) listener(this.#token);
  }

  /** Resolves with the next objects, the end of the page, or a failure. Never rejects. */
  next(): Promise<ReflectorInput> {
    const first = this.#first;
    this.#first = undefined;
    return first ?? this.#receive();
  }

  /** Cancels the request if the page is not complete. */
  close(): void {
    // The result and errors do not matter, because nothing more is read from the page.
    this.#stream.return({ resourceVersion: '' }).catch(() => undefined);
  }

  #receive(): Promise<ReflectorInput> {
    return this.#stream.next().then(
      (result: Result): ReflectorInput =>
        result.done
          ? { type: 'page', metadata: result.value, at: this.#clock.now() }
          : { type: 'objects', batch: result.value, at: this.#clock.now() },
      (error: unknown) => ({ type: 'failure', failure: failureOf(error), at: this.#clock.now() }),
    );
  }
}
