import type { KubernetesObject } from '@mcr/client';
import { addFinalizer, containsFinalizer, removeFinalizer } from './finalizer.ts';

/**
 * Cleans up for an object that is being deleted. It may change the object in place, and returns whether it changed the
 * status. It is called again in later reconciles until it succeeds.
 */
export type Finalizer<T extends KubernetesObject> = (
  object: T,
  context: { readonly signal?: AbortSignal },
) => Promise<FinalizerChanges | void>;

/** Result of a {@link Finalizer}. */
export interface FinalizerChanges {
  readonly statusUpdated?: boolean;
}

/**
 * Result of {@link Finalizers.finalize}: which parts of the object the caller must write, also if finalizers failed.
 */
export interface FinalizeResult {
  /** Whether the object changed: its finalizers, or fields changed by them. */
  readonly updated: boolean;
  /** Whether the status changed. */
  readonly statusUpdated: boolean;
  /** Errors of the failed finalizers, which stay on the object. Throw it after the object was written. */
  readonly error?: AggregateError;
}

/**
 * The finalizers of one kind, by their keys in `metadata.finalizers`.
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
   * Registers a finalizer.
   *
   * @param key name in `metadata.finalizers`; the API server recommends `<domain>/<name>`.
   * @throws {TypeError} if the key is in use.
   */
  register(key: string, finalizer: Finalizer<T>): this {
    if (this.#finalizers.has(key)) {
      throw new TypeError(`finalizer ${JSON.stringify(key)} is registered already: register each key once`);
    }
    this.#finalizers.set(key, finalizer);
    return this;
  }

  /**
   * Adds missing finalizers. If the object is being deleted, runs its registered finalizers instead, in the order of
   * registration, and removes each one that succeeds.
   *
   * @param object a draft that is changed in place and that the caller writes.
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
