/** Minimum length of a list that is split. Moving the items of a shorter one is cheap. */
const SPLIT_FROM = 1024;

/** Maximum number of items of a run. A longer one is split into two. */
const LONGEST_RUN = 512;

/** The items of a list in runs, so that an insertion moves the items of one run only. */
interface Runs {
  readonly runs: unknown[][];
  length: number;
}

/**
 * Long lists of a document, while the operations of a patch change them. The lists in the document are out of date until
 * {@link flush}, so they are read here.
 */
export class LongLists {
  readonly #lists = new Map<readonly unknown[], Runs>();
  #moved = 0;

  /** Number of items that were moved so far. */
  get moved(): number {
    return this.#moved;
  }

  lengthOf(list: readonly unknown[]): number {
    return this.#lists.get(list)?.length ?? list.length;
  }

  at(list: readonly unknown[], index: number): unknown {
    const split = this.#lists.get(list);
    if (!split) return list[index];
    const { run, offset } = placeOf(split, index);
    return run?.[offset];
  }

  /** Inserts an item before the one at `index`, which may be the length of the list. */
  insert(list: unknown[], index: number, value: unknown): void {
    const split = this.#split(list);
    if (!split) {
      list.splice(index, 0, value);
      return;
    }
    const { run, offset, position } = placeOf(split, index);
    if (!run) {
      split.runs.push([value]);
    } else {
      run.splice(offset, 0, value);
      this.#moved += run.length - offset;
      if (run.length > LONGEST_RUN) split.runs.splice(position + 1, 0, run.splice(LONGEST_RUN / 2));
    }
    split.length += 1;
  }

  remove(list: unknown[], index: number): void {
    const split = this.#split(list);
    if (!split) {
      list.splice(index, 1);
      return;
    }
    const { run, offset, position } = placeOf(split, index);
    if (!run) return;
    run.splice(offset, 1);
    this.#moved += run.length - offset;
    if (run.length === 0) split.runs.splice(position, 1);
    split.length -= 1;
  }

  /** Updates all lists of the document. */
  flush(): void {
    for (const list of [...this.#lists.keys()]) this.#flush(list as unknown[]);
  }

  /** Updates the lists within a value, in time that depends on the size of the value only. */
  flushWithin(value: unknown): void {
    if (typeof value !== 'object' || value === null || this.#lists.size === 0) return;
    if (Array.isArray(value)) this.#flush(value);
    for (const child of Object.values(value)) this.flushWithin(child);
  }

  /** Reports whether two JSON values are equal, up to the first difference. */
  areEqual(one: unknown, other: unknown): boolean {
    if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null) {
      return Object.is(one, other);
    }
    if (Array.isArray(one) || Array.isArray(other)) {
      if (!Array.isArray(one) || !Array.isArray(other)) return false;
      if (this.lengthOf(one) !== this.lengthOf(other)) return false;
      this.#flush(one);
      return one.every((item, index) => this.areEqual(item, other[index]));
    }
    const fields = Object.entries(one);
    if (fields.length !== Object.keys(other).length) return false;
    return fields.every(
      ([name, value]) => Object.hasOwn(other, name) && this.areEqual(value, (other as Record<string, unknown>)[name]),
    );
  }

  #flush(list: unknown[]): void {
    const split = this.#lists.get(list);
    if (!split) return;
    this.#lists.delete(list);
    list.length = split.length;
    let at = 0;
    for (const run of split.runs) for (const item of run) list[at++] = item;
    this.#moved += split.length;
  }

  #split(list: unknown[]): Runs | undefined {
    const known = this.#lists.get(list);
    if (known || list.length < SPLIT_FROM) return known;
    const runs: unknown[][] = [];
    for (let start = 0; start < list.length; start += LONGEST_RUN) runs.push(list.slice(start, start + LONGEST_RUN));
    const split = { runs, length: list.length };
    this.#lists.set(list, split);
    this.#moved += list.length;
    return split;
  }
}

/** Returns the run with the item at `index`, or the last run if it is the length of the list. */
function placeOf(
  { runs, length }: Runs,
  index: number,
): { run: unknown[] | undefined; offset: number; position: number } {
  let offset = index;
  for (const [position, run] of runs.entries()) {
    const isEnd = index === length && position === runs.length - 1;
    if (offset < run.length || isEnd) return { run, offset, position };
    offset -= run.length;
  }
  return { run: undefined, offset: 0, position: runs.length };
}
