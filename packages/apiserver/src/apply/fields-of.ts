import type { Paused, Turn } from '../turn.ts';
import type { Atom, ListAtom, MapAtom } from './atom.ts';
import { DEDUCED, formOf, isList, isMap } from './atom.ts';
import type { Elements, FieldSet } from './field-set.ts';
import { isEmpty, MEMBER, nodeOf, NOTHING } from './field-set.ts';
import { fieldElement, itemElement, UnidentifiedItem } from './path-element.ts';

/**
 * Returns the fields that a configuration claims. A declared field that contains others is not claimed itself, but an
 * entry of a map and an item of a list are. `null` and an empty object are claimed, an empty keyed list is not.
 * (Upstream: `typed.ToFieldSet`.)
 */
export function* claimedFields(atom: Atom, value: unknown, turn: Turn): Paused<FieldSet> {
  return nodeOf(false, (yield* claimed(atom, value, turn)).children);
}

/** Returns the node of a value; the empty set if it contains no claimed field. */
function* claimed(atom: Atom, value: unknown, turn: Turn): Paused<FieldSet> {
  const { map, scalar, list } = formOf(atom, value);
  if (map) return yield* mapNode(map, value, turn);
  return scalar || !list ? MEMBER : yield* listNode(list, value, turn);
}

function* mapNode(map: MapAtom, value: unknown, turn: Turn): Paused<FieldSet> {
  if (map.atomic) return MEMBER;
  if (!isMap(value)) return NOTHING;
  const children: Elements = new Map();
  for (const name of Object.keys(value)) {
    if (turn.step()) yield* turn.pause();
    const child = value[name];
    const declared = map.field(name);
    const node = yield* claimed(declared?.type ?? map.rest ?? DEDUCED, child, turn);
    const isHollow = child === null || (isMap(child) && Object.keys(child).length === 0);
    if (isHollow || !declared) children.set(fieldElement(name), nodeOf(true, node.children));
    else if (!isEmpty(node)) children.set(fieldElement(name), node);
  }
  return nodeOf(false, children);
}

function* listNode(list: ListAtom, value: unknown, turn: Turn): Paused<FieldSet> {
  if (list.relation === 'atomic') return MEMBER;
  if (!isList(value)) return NOTHING;
  const children: Elements = new Map();
  for (const item of value) {
    if (turn.step()) yield* turn.pause();
    const element = identified(list, item);
    if (element === undefined) return MEMBER;
    // Items with the same identity are owned together.
    const node = children.has(element) ? MEMBER : nodeOf(true, (yield* claimed(list.items, item, turn)).children);
    children.set(element, node);
  }
  return nodeOf(false, children);
}

/** Returns the path element of an item, or `undefined` if it has no identity. */
function identified(list: ListAtom, item: unknown): string | undefined {
  try {
    return itemElement(list, item);
  } catch (error) {
    if (error instanceof UnidentifiedItem) return undefined;
    throw error;
  }
}
