import type { Atom, ListAtom } from './atom.ts';
import { isList, isMap } from './atom.ts';

/**
 * Path elements in the format of `managedFields`: `f:<name>` is a field of an object, `k:<keys>` an item of a list by
 * its keys, and `v:<value>` an item of a set. Keys are sorted, so that equal elements are equal texts.
 */
export function fieldElement(name: string): string {
  return `f:${name}`;
}

/** An item that has no identity in its list. Messages follow `typed` of structured-merge-diff. */
export class UnidentifiedItem extends Error {
  override readonly name = 'UnidentifiedItem';
}

/** Returns the path element of an item of a set or a keyed list. @throws {UnidentifiedItem} */
export function itemElement(list: ListAtom, item: unknown): string {
  return list.relation === 'map' ? keyElement(list, item) : valueElement(item);
}

function valueElement(item: unknown): string {
  if (isMap(item)) throw new UnidentifiedItem("associative list without keys has an element that's a map type");
  if (isList(item)) throw new UnidentifiedItem('not supported: associative list with lists as elements');
  if (item === null) throw new UnidentifiedItem("associative list without keys has an element that's an explicit null");
  return `v:${JSON.stringify(item)}`;
}

function keyElement({ keys, items }: ListAtom, item: unknown): string {
  if (item === null) throw new UnidentifiedItem('associative list with keys may not have a null element');
  if (!isMap(item)) throw new UnidentifiedItem('associative list with keys may not have non-map elements');
  const found: Record<string, unknown> = {};
  for (const key of keys.toSorted()) {
    const value = Object.hasOwn(item, key) ? item[key] : defaultOf(items, key);
    if (value !== undefined) found[key] = value;
  }
  if (Object.keys(found).length === 0) {
    const names = keys.map((key) => JSON.stringify(key)).join(' ');
    throw new UnidentifiedItem(
      `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    );
  }
  return `k:${JSON.stringify(found)}`;
}

function defaultOf(item: Atom, key: string): unknown {
  return item.map?.field(key)?.default;
}

/** Returns an element as it appears in the paths of messages: `.spec`, `[name="main"]`, `[="finalizer"]`. */
export function elementText(element: string): string {
  const value = element.slice(2);
  switch (element[0]) {
    case 'k': {
      const keys = Object.entries(JSON.parse(value) as Record<string, unknown>);
      return `[${keys.map(([name, key]) => `${name}=${keyText(key)}`).join(',')}]`;
    }
    case 'v':
      return `[=${value}]`;
    case 'i':
      return `[${value}]`;
    default:
      return `.${value}`;
  }
}

/** Upstream: `value.ToString`. */
function keyText(key: unknown): string {
  if (isList(key)) return `[${key.map(keyText).join(',')}]`;
  if (!isMap(key)) return JSON.stringify(key);
  return Object.entries(key)
    .map(([name, value]) => `${name}=${keyText(value)}`)
    .join('');
}
