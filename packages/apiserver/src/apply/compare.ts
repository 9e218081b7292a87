import type { Paused, Turn } from '../turn.ts';
import { areEqual } from '../schema/equal-json.ts';
import type { Atom, ListAtom, MapAtom } from './atom.ts';
import { DEDUCED, formOf, isList, isMap, typeOfField } from './atom.ts';
import type { Elements, FieldSet } from './field-set.ts';
import { isEmpty, MEMBER, nodeOf, NOTHING, union } from './field-set.ts';
import { fieldElement, itemElement, UnidentifiedItem } from './path-element.ts';

/** Changes of a write to the fields of an object. */
export interface Changes {
  /** Fields that were added or changed. */
  readonly written: FieldSet;
  readonly removed: FieldSet;
}

/** Compares two states of an object. (Upstream: `typed.Compare`.) */
export function* compare(atom: Atom, before: unknown, after: unknown, turn: Turn): Paused<Changes> {
  const { written, removed } = yield* changesOf(atom, before, after, turn);
  return { written: nodeOf(false, written.children), removed: nodeOf(false, removed.children) };
}

const NO_CHANGES: Changes = { written: NOTHING, removed: NOTHING };

/** Returns the changes of a value. `undefined` is an absent value. */
function* changesOf(atom: Atom, before: unknown, after: unknown, turn: Turn): Paused<Changes> {
  const old = formOf(atom, before);
  const young = formOf(atom, after);
  if (after === undefined) return yield* changesIn(old, before, after, turn);
  if (before === undefined || sameForm(old, young)) return yield* changesIn(young, before, after, turn);
  const one = yield* changesIn(old, before, after, turn);
  const other = yield* changesIn(young, before, after, turn);
  return {
    written: yield* union(one.written, other.written, turn),
    removed: yield* union(one.removed, other.removed, turn),
  };
}

function sameForm(a: Atom, b: Atom): boolean {
  return a.scalar === b.scalar && a.list === b.list && a.map === b.map;
}

function* changesIn({ map, scalar, list }: Atom, before: unknown, after: unknown, turn: Turn): Paused<Changes> {
  if (map) return yield* mapChanges(map, before, after, turn);
  return scalar || !list ? yield* leafChanges(before, after, turn) : yield* listChanges(list, before, after, turn);
}

/** A part that is owned as a whole. */
function* leafChanges(before: unknown, after: unknown, turn: Turn): Paused<Changes> {
  if (after === undefined) return { written: NOTHING, removed: MEMBER };
  if (before !== undefined && (yield* areEqual(before, after, turn))) return NO_CHANGES;
  return { written: MEMBER, removed: NOTHING };
}

/** Adds the part itself to the changes of its children, if it appeared or disappeared. */
function withSelf(before: unknown, after: unknown, written: Elements, removed: Elements): Changes {
  return { written: nodeOf(before === undefined, written), removed: nodeOf(after === undefined, removed) };
}

const NO_FIELDS: Readonly<Record<string, unknown>> = Object.freeze({});

function* mapChanges(map: MapAtom, before: unknown, after: unknown, turn: Turn): Paused<Changes> {
  const old = isMap(before) ? before : NO_FIELDS;
  const young = isMap(after) ? after : NO_FIELDS;
  const names = Object.keys(old);
  const others = Object.keys(young);
  if (map.atomic || names.length + others.length === 0) return yield* leafChanges(before, after, turn);
  const written: Elements = new Map();
  const removed: Elements = new Map();
  for (const name of names) {
    if (turn.step()) yield* turn.pause();
    const was = old[name];
    const is = Object.hasOwn(young, name) ? young[name] : undefined;
    yield* collectField(map, name, [was, is], [written, removed], turn);
  }
  for (const name of others) {
    if (turn.step()) yield* turn.pause();
    if (!Object.hasOwn(old, name)) yield* collectField(map, name, [undefined, young[name]], [written, removed], turn);
  }
  return withSelf(before, after, written, removed);
}

function* collectField(
  map: MapAtom,
  name: string,
  [was, is]: readonly [was: unknown, is: unknown],
  sets: readonly [written: Elements, removed: Elements],
  turn: Turn,
): Paused<void> {
  if (was === is) return;
  collect(fieldElement(name), yield* changesOf(typeOfField(map, name) ?? DEDUCED, was, is, turn), sets);
}

function collect(
  element: string,
  changes: Changes,
  [written, removed]: readonly [written: Elements, removed: Elements],
): void {
  if (!isEmpty(changes.written)) written.set(element, changes.written);
  if (!isEmpty(changes.removed)) removed.set(element, changes.removed);
}

function* listChanges(list: ListAtom, before: unknown, after: unknown, turn: Turn): Paused<Changes> {
  const old = isList(before) ? before : [];
  const young = isList(after) ? after : [];
  if (list.relation === 'atomic' || old.length + young.length === 0) return yield* leafChanges(before, after, turn);
  const oldItems = yield* byElement(list, old, turn);
  const youngItems = yield* byElement(list, young, turn);
  if (!oldItems || !youngItems) return yield* leafChanges(before, after, turn);
  const sets = [new Map<string, FieldSet>(), new Map<string, FieldSet>()] as const;
  for (const [element, was] of oldItems) {
    if (turn.step()) yield* turn.pause();
    collect(element, yield* itemChanges(list, was, youngItems.get(element) ?? [], turn), sets);
  }
  for (const [element, is] of youngItems) {
    if (turn.step()) yield* turn.pause();
    if (!oldItems.has(element)) collect(element, yield* itemChanges(list, [], is, turn), sets);
  }
  return withSelf(before, after, ...sets);
}

/** Compares the items of one path element. Several items, which a list should not contain, are owned together. */
function* itemChanges(list: ListAtom, was: readonly unknown[], is: readonly unknown[], turn: Turn): Paused<Changes> {
  if (was.length <= 1 && is.length <= 1) return yield* changesOf(list.items, was[0], is[0], turn);
  if (was.length >= 2 && is.length >= 2) {
    return (yield* areEqual(was, is, turn)) ? NO_CHANGES : { written: MEMBER, removed: NOTHING };
  }
  if (was.length >= 2) {
    const { written } = is.length > 0 ? yield* changesOf(list.items, undefined, is[0], turn) : NO_CHANGES;
    return { written, removed: MEMBER };
  }
  const { removed } = was.length > 0 ? yield* changesOf(list.items, was[0], undefined, turn) : NO_CHANGES;
  return { written: MEMBER, removed };
}

function* byElement(list: ListAtom, items: readonly unknown[], turn: Turn): Paused<Map<string, unknown[]> | undefined> {
  const groups = new Map<string, unknown[]>();
  try {
    for (const item of items) {
      if (turn.step()) yield* turn.pause();
      const element = itemElement(list, item);
      const group = groups.get(element);
      if (group) group.push(item);
      else groups.set(element, [item]);
    }
  } catch (error) {
    if (error instanceof UnidentifiedItem) return undefined;
    throw error;
  }
  return groups;
}
