import type { Atom, ListAtom, MapAtom } from './atom.ts';
import { DEDUCED, formOf, isList, isMap, typeOfField } from './atom.ts';
import type { FieldSet } from './field-set.ts';
import { isEmpty, isMember, setBelow } from './field-set.ts';
import { fieldElement, itemElement, UnidentifiedItem } from './path-element.ts';

/**
 * Merges `config` into `live`: objects, keyed lists and sets merge, everything else is replaced. `undefined` is an
 * absent value. (Upstream: `typed.Merge`.)
 */
export function merge(atom: Atom, live: unknown, config: unknown): unknown {
  const { map, scalar, list } = config === undefined ? formOf(atom, live) : formOf(atom, config);
  if (map) return mergeMap(map, live, config);
  return scalar || !list ? newer(live, config) : mergeList(list, live, config);
}

function newer(live: unknown, config: unknown): unknown {
  return config === undefined ? live : config;
}

function mergeMap(map: MapAtom, live: unknown, config: unknown): unknown {
  const old = isMap(live) ? live : {};
  const young = isMap(config) ? config : {};
  const names = new Set([...Object.keys(old), ...Object.keys(young)]);
  if (map.atomic || names.size === 0) return newer(live, config);
  const entries = [...names].map((name) => {
    const was = Object.hasOwn(old, name) ? old[name] : undefined;
    const is = Object.hasOwn(young, name) ? young[name] : undefined;
    return [name, merge(typeOfField(map, name) ?? DEDUCED, was, is)] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function mergeList(list: ListAtom, live: unknown, config: unknown): unknown {
  const old = isList(live) ? live : [];
  const young = isList(config) ? config : [];
  if (list.relation === 'atomic' || old.length + young.length === 0) return newer(live, config);
  try {
    return mergeItems(list, old, young);
  } catch (error) {
    if (error instanceof UnidentifiedItem) return newer(live, config);
    throw error;
  }
}

/**
 * Merges list items in the order of the configuration. Items that are not in it keep their places between them. Items
 * with the same identity are replaced together.
 */
function mergeItems(list: ListAtom, live: readonly unknown[], config: readonly unknown[]): unknown[] {
  const left = live.map((item) => itemElement(list, item));
  const right = config.map((item) => itemElement(list, item));
  const before = new Map<string, unknown>();
  for (const [index, element] of left.entries()) before.set(element, before.has(element) ? undefined : live[index]);
  const wanted = new Map(right.map((element, index) => [element, config[index]]));
  const shared = right.filter((element) => before.has(element));
  let nextShared = shared.shift();
  const done = new Set<string>();
  const items: unknown[] = [];
  const mergeOne = (element: string): void => {
    done.add(element);
    items.push(merge(list.items, before.get(element), wanted.get(element)));
  };
  for (let l = 0, r = 0; l < left.length || r < right.length;) {
    const one = left[l];
    const other = right[r];
    if (one !== undefined && other !== undefined) {
      if (one === other) {
        mergeOne(one);
        l += 1;
        r += 1;
        nextShared = shared.shift();
        continue;
      }
      if (wanted.has(one) && nextShared !== undefined && nextShared !== one) {
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
      mergeOne(other);
      r += 1;
      if (nextShared === other) nextShared = shared.shift();
    }
  }
  return items;
}

/**
 * Returns `value` without the members of `fields`. An object or list becomes `null` if it loses everything.
 * (Upstream: `typed.RemoveItems`.)
 */
export function remove(atom: Atom, value: unknown, fields: FieldSet): unknown {
  const { map, scalar, list } = formOf(atom, value);
  if (map) return removeFields(map, value, fields);
  return scalar || !list ? value : removeItems(list, value, fields);
}

function removeFields(map: MapAtom, value: unknown, fields: FieldSet): unknown {
  if (!isMap(value) || map.atomic) return null;
  const kept = Object.entries(value).flatMap(([name, child]) =>
    survivors(typeOfField(map, name) ?? DEDUCED, child, fields[fieldElement(name)]).map((left) => [name, left]),
  );
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

function removeItems(list: ListAtom, value: unknown, fields: FieldSet): unknown {
  if (!isList(value) || list.relation === 'atomic') return null;
  const kept = value.flatMap((item) => survivors(list.items, item, fields[elementOrNothing(list, item)]));
  return kept.length === 0 ? null : kept;
}

/** Returns what is left of a part: one value, or none. */
function survivors(atom: Atom, value: unknown, node: FieldSet | undefined): readonly unknown[] {
  if (!node) return [value];
  if (isMember(node)) return [];
  const inside = setBelow(node);
  return [isEmpty(inside) ? value : remove(atom, value, inside)];
}

function elementOrNothing(list: ListAtom, item: unknown): string {
  try {
    return itemElement(list, item);
  } catch (error) {
    if (error instanceof UnidentifiedItem) return '';
    throw error;
  }
}
