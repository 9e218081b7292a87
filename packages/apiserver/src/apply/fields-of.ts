import type { Atom, ListAtom, MapAtom } from './atom.ts';
import { DEDUCED, formOf, isList, isMap } from './atom.ts';
import type { Elements, FieldSet } from './field-set.ts';
import { isEmpty, MEMBER, memberWith, NOTHING } from './field-set.ts';
import { fieldElement, itemElement, UnidentifiedItem } from './path-element.ts';

/**
 * Returns the fields that a configuration claims. A declared field that contains others is not claimed itself, but an
 * entry of a map and an item of a list are. `null` and an empty object are claimed, an empty keyed list is not.
 * (Upstream: `typed.ToFieldSet`.)
 */
export function claimedFields(atom: Atom, value: unknown): FieldSet {
  return nodeOf(atom, value) ?? NOTHING;
}

/** Returns the node of a value; `undefined` if it contains no claimed field. */
function nodeOf(atom: Atom, value: unknown): FieldSet | undefined {
  const { map, scalar, list } = formOf(atom, value);
  if (map) return mapNode(map, value);
  return scalar || !list ? MEMBER : listNode(list, value);
}

function mapNode(map: MapAtom, value: unknown): FieldSet | undefined {
  if (map.atomic) return MEMBER;
  if (!isMap(value)) return undefined;
  const claimed: Elements = {};
  for (const [name, child] of Object.entries(value)) {
    const declared = map.field(name);
    const node = nodeOf(declared?.type ?? map.rest ?? DEDUCED, child);
    const isHollow = child === null || (isMap(child) && Object.keys(child).length === 0);
    const element = fieldElement(name);
    if (isHollow || !declared) claimed[element] = memberWith(node ?? NOTHING);
    else if (node) claimed[element] = node;
  }
  return isEmpty(claimed) ? undefined : claimed;
}

function listNode(list: ListAtom, value: unknown): FieldSet | undefined {
  if (list.relation === 'atomic') return MEMBER;
  if (!isList(value)) return undefined;
  const claimed: Elements = {};
  try {
    for (const item of value) {
      const element = itemElement(list, item);
      // Items with the same identity are owned together.
      claimed[element] = claimed[element] ? MEMBER : memberWith(nodeOf(list.items, item) ?? NOTHING);
    }
  } catch (error) {
    if (error instanceof UnidentifiedItem) return MEMBER;
    throw error;
  }
  return isEmpty(claimed) ? undefined : claimed;
}
