import type { ListerWatcher } from './lister-watcher.ts';

/**
 * Records whether the credentials have changed since the previous wait. A change ends a wait, but it may also come
 * between a refusal and the following wait.
 */
export class CredentialChanges {
  readonly #listerWatcher: Pick<ListerWatcher, 'onCredentials'>;
  #forget: (() => void) | undefined;
  #seen = false;

  constructor(listerWatcher: Pick<ListerWatcher, 'onCredentials'>) {
    this.#listerWatcher = listerWatcher;
  }

  /** Whether the credentials have changed since the latest {@link observe}. */
  get seen(): boolean {
    return this.#seen;
  }

  observe(): void {
    this.#seen = false;
    this.#forget ??= this.#listerWatcher.onCredentials(() => (this.#seen = true));
  }

  stop(): void {
    this.#forget?.();
    this.#forget = undefined;
    this.#seen = false;
  }
}
