import { setField } from '../schema/set-field.ts';
import type { Paused, Turn } from '../turn.ts';
import type { Atom, ListAtom, MapAtom } from './atom.ts';
import { DEDUCED, formOf, isList, isMap, typeOfField } from './atom.ts';
import type { FieldSet } from './field-set.ts';
import { fieldElement, itemElement, UnidentifiedItem } from './path-element.ts';

/**
 * Merges `config` into `live`: objects, keyed lists and sets merge, everything else is replaced. `undefined` is an
 * absent value. (Upstream: `typed.Merge`.)
 */
export function* merge(atom: Atom, live: unknown, config: unknown, turn: Turn): Paused<unknown> {
  const { map, scalar, list } = config === undefined ? formOf(atom, live) : formOf(atom, config);
  if (map) return yield* mergeMap(map, live, config, turn);
  return scalar || !list ? newer(live, config) : yield* mergeList(list, live, config, turn);
}

function newer(live: unknown, config: unknown): unknown {
  return config === undefined ? live : config;
}

function* mergeMap(map: MapAtom, live: unknown, config: unknown, turn: Turn): Paused<unknown> {
  const old = isMap(live) ? live : {};
  const young = isMap(config) ? config : {};
  const [names, others] = [Object.keys(old), Object.keys(young)];
  if (map.atomic || names.length + others.length === 0) return newer(live, config);
  const result: Record<string, unknown> = {};
  for (const name of names) {
    if (turn.step()) yield* turn.pause();
    const is = Object.hasOwn(young, name) ? young[name] : undefined;
    const value = yield* merge(typeOfField(map, name) ?? DEDUCED, old[name], is, turn);
    if (value !== undefined) setField(result, name, value);
  }
  for (const name of others) {
    if (turn.step()) yield* turn.pause();
    if (Object.hasOwn(old, name)) continue;
    const value = yield* merge(typeOfField(map, name) ?? DEDUCED, undefined, young[name], turn);
    if (value !== undefined) setField(result, name, value);
  }
  return result;
}

function* mergeList(list: ListAtom, live: unknown, config: unknown, turn: Turn): Paused<unknown> {
  const old = isList(live) ? live : [];
  const young = isList(config) ? config : [];
  if (list.relation === 'atomic' || old.length + young.length === 0) return newer(live, config);
  try {
    return yield* mergeItems(list, old, young, turn);
  } catch (error) {
    if (error instanceof UnidentifiedItem) return newer(live, config);
    throw error;
  }
}

/**
 * Merges list items in the order of the configuration. Items that are not in it keep their places between them. Items
 * with the same identity are replaced together.
 */
function* mergeItems(
  list: ListAtom,
  live: readonly unknown[],
  config: readonly unknown[],
  turn: Turn,
): Paused<unknown[]> {
  const left = yield* elementsOf(list, live, turn);
  const right = yield* elementsOf(list, config, turn);
  const before = new Map<string, unknown>();
  for (const [index, element] of left.entries()) before.set(element, before.has(element) ? undefined : live[index]);
  const wanted = new Map(right.map((element, index) => [element, config[index]]));
  const shared = right.filter((element) => before.has(element));
  let passed = 0;
  const done = new Set<string>();
  const items: unknown[] = [];
  const mergeOne = function* (element: string): Paused<void> {
    done.add(element);
    items.push(yield* merge(list.items, before.get(element), wanted.get(element), turn));
  };
  for (let l = 0, r = 0; l < left.length || r < right.length;) {
    if (turn.step()) yield* turn.pause();
    const one = left[l];
    const other = right[r];
    if (one !== undefined && other !== undefined) {
      if (one === other) {
        yield* mergeOne(one);
        l += 1;
        r += 1;
        passed += 1;
        continue;
      }
      if (wanted.has(one) && passed < shared.length && shared[passed] !== one) {
        // This item comes later in the configuration.
        l += 1;
        continue;
      }
    }
    if (one !== undefined && !wanted.has(one)) {
      items.push(live[l]);
      l += 1;
      continue;
    }
    if (one !== undefined && done.has(one)) l += 1;
    if (other !== undefined) {
      yield* mergeOne(other);
      r += 1;
      if (shared[passed] === other) passed += 1;
    }
  }
  return items;
}

function* elementsOf(list: ListAtom, items: readonly unknown[], turn: Turn): Paused<string[]> {
  const elements: string[] = [];
  for (const item of items) {
    if (turn.step()) yield* turn.pause();
    elements.push(itemElement(list, item));
  }
  return elements;
}

/**
 * Returns `value` without the members of `fields`. An object or list becomes `null` if it loses everything.
 * (Upstream: `typed.RemoveItems`.)
 */
export function* remove(atom: Atom, value: unknown, fields: FieldSet, turn: Turn): Paused<unknown> {
  const { map, scalar, list } = formOf(atom, value);
  if (map) return yield* removeFields(map, value, fields, turn);
  return scalar || !list ? value : yield* removeItems(list, value, fields, turn);
}

function* removeFields(map: MapAtom, value: unknown, { children }: FieldSet, turn: Turn): Paused<unknown> {
  if (!isMap(value) || map.atomic) return null;
  const result: Record<string, unknown> = {};
  let isEmpty = true;
  for (const name of Object.keys(value)) {
    if (turn.step()) yield* turn.pause();
    const node = children.get(fieldElement(name));
    if (node?.isMember) continue;
    isEmpty = false;
    const child = value[name];
    setField(result, name, node ? yield* remove(typeOfField(map, name) ?? DEDUCED, child, node, turn) : child);
  }
  return isEmpty ? null : result;
}

function* removeItems(list: ListAtom, value: unknown, { children }: FieldSet, turn: Turn): Paused<unknown> {
  if (!isList(value) || list.relation === 'atomic') return null;
  const kept: unknown[] = [];
  for (const item of value) {
    if (turn.step()) yield* turn.pause();
    const node = children.get(elementOrNothing(list, item));
    if (node?.isMember) continue;
    kept.push(node ? yield* remove(list.items, item, node, turn) : item);
  }
  return kept.length === 0 ? null : kept;
}

function elementOrNothing(list: ListAtom, item: unknown): string {
  try {
    return itemElement(list, item);
  } catch (error) {
    if (error instanceof UnidentifiedItem) return '';
    throw error;
  }
}
