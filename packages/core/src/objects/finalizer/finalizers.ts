import type { KubernetesObject } from '@mcr/client';
import { addFinalizer, containsFinalizer, removeFinalizer } from './finalizer.ts';

/**
 * Cleans up after an object that is being deleted. May change the object in place, and says when that was its status.
 * Called again, in later reconciles, until it succeeds.
 */
export type Finalizer<T extends KubernetesObject> = (
  object: T,
  context: { readonly signal?: AbortSignal },
) => Promise<FinalizerChanges | void>;

export interface FinalizerChanges {
  readonly statusUpdated?: boolean;
}

/** What is to be written of an object after {@link Finalizers.finalize}, also when some finalizers failed. */
export interface FinalizeResult {
  /** The object itself: its finalizers, and what they changed. */
  readonly updated: boolean;
  /** Its status. */
  readonly statusUpdated: boolean;
  /** Of the finalizers that failed; they stay on the object. To be thrown once the object has been written. */
  readonly error?: AggregateError;
}

/**
 * The finalizers of one kind, each under the key that stands in `metadata.finalizers`.
 * (Upstream: `pkg/finalizer.Finalizers`.)
 *
 * @example
 * const finalizers = new Finalizers<Database>().register('example.com/backup', removeBackups);
 * // in the reconciler
 * const database = draftOf(await client.get(Database, request));
 * const { updated, error } = await finalizers.finalize(database, context);
 * if (updated) await client.update(Database, database);
 * if (error) throw error;
 */
export class Finalizers<T extends KubernetesObject = KubernetesObject> {
  readonly #finalizers = new Map<string, Finalizer<T>>();

  /**
   * @param key `<domain>/<name>`, as the API server recommends.
   * @throws {TypeError} when there is one of that key.
   */
  register(key: string, finalizer: Finalizer<T>): this {
    if (this.#finalizers.has(key)) {
      throw new TypeError(`there is a finalizer ${JSON.stringify(key)} already: register each key once`);
    }
    this.#finalizers.set(key, finalizer);
    return this;
  }

  /**
   * Adds the registered finalizers that are missing. When the object is being deleted, runs those that are present
   * instead, in the order of their registration, and removes the ones that succeed.
   *
   * @param object a draft, which is changed in place; the caller writes it.
   */
  async finalize(object: T, { signal }: { readonly signal?: AbortSignal } = {}): Promise<FinalizeResult> {
    const context = signal ? { signal } : {};
    const errors: unknown[] = [];
    let updated = false;
    let statusUpdated = false;
    for (const [key, finalizer] of this.#finalizers) {
      if (object.metadata.deletionTimestamp === undefined) {
        updated = addFinalizer(object, key) || updated;
        continue;
      }
      if (!containsFinalizer(object, key)) continue;
      try {
        const changes = await finalizer(object, context);
        removeFinalizer(object, key);
        updated = true;
        statusUpdated ||= changes?.statusUpdated ?? false;
      } catch (error) {
        errors.push(new Error(`finalizer ${key} failed`, { cause: error }));
      }
    }
    const result = { updated, statusUpdated };
    return errors.length === 0
      ? result
      : { ...result, error: new AggregateError(errors, 'not all finalizers succeeded') };
  }
}
