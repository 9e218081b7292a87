import { afterValue, FieldCursor } from './field-cursor.ts';
import { FieldTree, namesOf, type FieldPath } from './field-tree.ts';
import { CLOSE_ARRAY, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './json-bytes.ts';

/** Ranges of bytes to leave out: a start and an end for each, in ascending order, not overlapping. */
export type Cuts = readonly number[];

export interface FieldCutOptions {
  /** Fields to keep. Default: all. */
  readonly keep?: readonly FieldPath[] | undefined;
  /** Fields to drop, also below fields to keep. Default: none. */
  readonly drop?: readonly FieldPath[] | undefined;
}

/** Drops fields of objects by their names, from their JSON text or after decoding, with the same result. */
export class FieldCut {
  readonly #options: FieldCutOptions;
  readonly #tree: FieldTree;

  constructor(options: FieldCutOptions) {
    const { keep, drop = [] } = options;
    this.#options = options;
    this.#tree = new FieldTree(keep ? 'drop' : 'keep');
    for (const path of keep ?? []) this.#tree.add(namesOf(path), 'keep');
    for (const path of drop) this.#tree.add(namesOf(path), 'drop');
  }

  /** Returns a cut that also drops the field `path`. */
  dropping(path: FieldPath): FieldCut {
    const { keep, drop = [] } = this.#options;
    return new FieldCut({ keep, drop: [...drop, path] });
  }

  /** Reports whether the whole field is dropped. */
  drops(path: FieldPath): boolean {
    return this.#tree.drops(namesOf(path));
  }

  /** Returns the ranges to leave out of an object. Its bytes must have been checked by a scanner. */
  cuts(bytes: Buffer, start: number): Cuts {
    const cuts: number[] = [];
    cutObject(bytes, start, this.#tree, cuts);
    return cuts;
  }

  /** Returns a copy of a decoded object without the dropped fields. */
  applyTo(object: unknown): unknown {
    return this.#tree.applyTo(object);
  }
}

/** Adds the cuts of an object. Returns the index that follows it. */
function cutObject(bytes: Buffer, start: number, tree: FieldTree, cuts: number[]): number {
  const fields = new FieldCursor(bytes, start);
  /** End of the last kept field. A cut that follows it includes the comma before each dropped field. */
  let keptEnd = start + 1;
  let hasKept = false;
  let droppedEnd = 0;
  while (fields.next()) {
    const rule = tree.ruleOf(fields);
    if (rule === 'drop') {
      droppedEnd = fields.end;
      continue;
    }
    // Without a kept field before it, a cut includes the comma after it.
    if (droppedEnd > keptEnd) cuts.push(keptEnd, hasKept ? droppedEnd : fields.nameStart - 1);
    if (rule !== 'keep') cutValue(bytes, fields.value, rule, cuts);
    keptEnd = fields.end;
    hasKept = true;
  }
  if (droppedEnd > keptEnd) cuts.push(keptEnd, droppedEnd);
  return fields.end;
}

/** Adds the cuts of each object in a value: of the value itself, or of the elements of arrays. */
function cutValue(bytes: Buffer, start: number, tree: FieldTree, cuts: number[]): void {
  let level = 0;
  let at = start;
  do {
    const c = bytes[at];
    if (c === OPEN_OBJECT) {
      at = cutObject(bytes, at, tree, cuts);
    } else if (c === QUOTE) {
      at = afterValue(bytes, at);
    } else {
      if (c === OPEN_ARRAY) level += 1;
      else if (c === CLOSE_ARRAY) level -= 1;
      at += 1;
    }
  } while (level > 0);
}
