import * as z from 'zod';
import { parseOptions } from '../options/parse-options.ts';
import { ShardSelection } from './shard-selection.ts';
import { shardSelectorSchema, type HashRange, type ShardSelector } from './shard-selector.ts';

let shards = 0;

/**
 * The part of the objects that informers hold, by hash ranges that may change. Informers with the same shard change
 * together.
 *
 * @example
 * const shard = new Shard({ field: 'uid', ranges: [{ start: 0n, end: 2n ** 63n }] });
 * await cache.subscribe(Pod, handler, { shard });
 * shard.update([{ start: 0n, end: 2n ** 62n }]);
 */
export class Shard {
  /** Number that no other shard of the process has. */
  readonly id: number;
  #selection: ShardSelection;
  readonly #listeners = new Set<() => void>();

  /**
   * @param selector default of the ranges: none, so that nothing is held before {@link update}.
   * @throws {TypeError} if a range is invalid.
   */
  constructor(selector: Pick<ShardSelector, 'field'> & Partial<ShardSelector>) {
    this.id = shards += 1;
    this.#selection = selectionOf('Shard', { ranges: [], ...selector });
  }

  /** The current ranges, in ascending order. Ranges that overlap or continue one another are joined. */
  get selector(): ShardSelector {
    return this.#selection.selector;
  }

  /** The current selection. It does not change when the ranges do. */
  get selection(): ShardSelection {
    return this.#selection;
  }

  /** Reports whether an object with this metadata is in the current ranges. */
  has(metadata: { readonly uid?: string; readonly namespace?: string }): boolean {
    return this.#selection.selects(metadata);
  }

  /**
   * Replaces the ranges. Informers list and watch again, and hold the previous objects until the list is complete. Then
   * handlers receive `onAdd` for new objects and `onLeave` for objects outside of the new ranges.
   *
   * @throws {TypeError} if a range is invalid.
   */
  update(ranges: readonly HashRange[]): void {
    const selection = selectionOf('Shard.update', { field: this.selector.field, ranges });
    if (selection.equals(this.#selection)) return;
    this.#selection = selection;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Calls `listener` when the ranges have changed. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void {
    const own = (): void => listener();
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }
}

function selectionOf(call: string, selector: ShardSelector): ShardSelection {
  return new ShardSelection(parseOptions(call, shardSelectorSchema, selector));
}

/** Validates an option that is a {@link Shard}. */
export const shardSchema = z.custom<Shard>((value) => value instanceof Shard, 'expected a Shard');
