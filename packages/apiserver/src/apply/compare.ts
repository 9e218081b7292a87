import { isDeepStrictEqual } from 'node:util';
import type { Atom, ListAtom, MapAtom } from './atom.ts';
import { DEDUCED, formOf, isList, isMap, typeOfField } from './atom.ts';
import type { Elements, FieldSet } from './field-set.ts';
import { isEmpty, MEMBER, memberWith, NOTHING, union } from './field-set.ts';
import { fieldElement, itemElement, UnidentifiedItem } from './path-element.ts';

/** Changes of a write to the fields of an object. */
export interface Changes {
  /** Fields that were added or changed. */
  readonly written: FieldSet;
  readonly removed: FieldSet;
}

/** Compares two states of an object. (Upstream: `typed.Compare`.) */
export function compare(atom: Atom, before: unknown, after: unknown): Changes {
  const { written = NOTHING, removed = NOTHING } = changesOf(atom, before, after);
  return { written, removed };
}

/** Changes of a value: the nodes of its path element, absent if nothing changed. `undefined` is an absent value. */
interface NodeChanges {
  readonly written?: FieldSet;
  readonly removed?: FieldSet;
}

function changesOf(atom: Atom, before: unknown, after: unknown): NodeChanges {
  const old = formOf(atom, before);
  const young = formOf(atom, after);
  if (after === undefined) return changesIn(old, before, after);
  if (before === undefined || sameForm(old, young)) return changesIn(young, before, after);
  return merged(changesIn(old, before, after), changesIn(young, before, after));
}

function sameForm(a: Atom, b: Atom): boolean {
  return a.scalar === b.scalar && a.list === b.list && a.map === b.map;
}

function merged(a: NodeChanges, b: NodeChanges): NodeChanges {
  const join = (one?: FieldSet, other?: FieldSet): FieldSet | undefined =>
    one && other ? union({ node: one }, { node: other })['node'] : (one ?? other);
  return nodeChanges(join(a.written, b.written), join(a.removed, b.removed));
}

function nodeChanges(written: FieldSet | undefined, removed: FieldSet | undefined): NodeChanges {
  return { ...(written && { written }), ...(removed && { removed }) };
}

function changesIn({ map, scalar, list }: Atom, before: unknown, after: unknown): NodeChanges {
  if (map) return mapChanges(map, before, after);
  return scalar || !list ? leafChanges(before, after) : listChanges(list, before, after);
}

/** A part that is owned as a whole. */
function leafChanges(before: unknown, after: unknown): NodeChanges {
  if (after === undefined) return { removed: MEMBER };
  if (before === undefined || !isDeepStrictEqual(before, after)) return { written: MEMBER };
  return {};
}

/** Adds the part itself to the changes of its children, if it appeared or disappeared. */
function withSelf(before: unknown, after: unknown, written: FieldSet, removed: FieldSet): NodeChanges {
  const isNew = before === undefined;
  const isGone = after === undefined;
  return nodeChanges(
    isNew ? memberWith(written) : isEmpty(written) ? undefined : written,
    isGone ? memberWith(removed) : isEmpty(removed) ? undefined : removed,
  );
}

const NO_FIELDS: Readonly<Record<string, unknown>> = Object.freeze({});

function mapChanges(map: MapAtom, before: unknown, after: unknown): NodeChanges {
  const old = isMap(before) ? before : NO_FIELDS;
  const young = isMap(after) ? after : NO_FIELDS;
  const names = new Set([...Object.keys(old), ...Object.keys(young)]);
  if (map.atomic || names.size === 0) return leafChanges(before, after);
  const written: Elements = {};
  const removed: Elements = {};
  for (const name of names) {
    const was = Object.hasOwn(old, name) ? old[name] : undefined;
    const is = Object.hasOwn(young, name) ? young[name] : undefined;
    if (was === undefined && is === undefined) continue;
    collect(fieldElement(name), changesOf(typeOfField(map, name) ?? DEDUCED, was, is), written, removed);
  }
  return withSelf(before, after, written, removed);
}

function collect(element: string, changes: NodeChanges, written: Elements, removed: Elements): void {
  if (changes.written) written[element] = changes.written;
  if (changes.removed) removed[element] = changes.removed;
}

function listChanges(list: ListAtom, before: unknown, after: unknown): NodeChanges {
  const old = isList(before) ? before : [];
  const young = isList(after) ? after : [];
  if (list.relation === 'atomic' || old.length + young.length === 0) return leafChanges(before, after);
  const oldItems = byElement(list, old);
  const youngItems = byElement(list, young);
  if (!oldItems || !youngItems) return leafChanges(before, after);
  const written: Elements = {};
  const removed: Elements = {};
  for (const element of new Set([...oldItems.keys(), ...youngItems.keys()])) {
    const was = oldItems.get(element) ?? [];
    const is = youngItems.get(element) ?? [];
    collect(element, itemChanges(list, was, is), written, removed);
  }
  return withSelf(before, after, written, removed);
}

/** Compares the items of one path element. Several items, which a list should not contain, are owned together. */
function itemChanges(list: ListAtom, was: readonly unknown[], is: readonly unknown[]): NodeChanges {
  if (was.length <= 1 && is.length <= 1) return changesOf(list.items, was[0], is[0]);
  if (was.length >= 2 && is.length >= 2) return isDeepStrictEqual(was, is) ? {} : { written: MEMBER };
  const { written, removed } =
    was.length >= 2
      ? { ...(is.length > 0 && changesOf(list.items, undefined, is[0])), removed: MEMBER }
      : { ...(was.length > 0 && changesOf(list.items, was[0], undefined)), written: MEMBER };
  return nodeChanges(written, removed);
}

function byElement(list: ListAtom, items: readonly unknown[]): Map<string, unknown[]> | undefined {
  const groups = new Map<string, unknown[]>();
  try {
    for (const item of items) {
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
