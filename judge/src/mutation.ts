import type { Choices } from './choices.ts';
import type { Json, JsonObject } from './operation.ts';

/** Values of every type, valid and not, that replace a value of an object. */
const VALUES: readonly Json[] = [
  ...[null, true, false, 0, 1, -1, 2, 7, 100, 65_536, 1.5, 2_147_483_648, 1e300],
  ...[
    '',
    'x',
    'A',
    'a b',
    '-a',
    'a.b',
    'a/b',
    '1',
    '-5',
    '0',
    'Always',
    'None',
    'TCP',
    '10%',
    '101%',
    '5m',
    '1Gi',
    '/a',
    '*',
  ],
  ...['x'.repeat(64), 'x'.repeat(254), 'Grüße', '10.0.0.10', '2030-01-01T00:00:00Z', 'example.com/x', 'http'],
  ...[[], {}, ['x'], [''], [null], [1], [{}], { x: 'y' }, { x: null }, { '': '' }, { name: 'x' }],
];

/** Returns a copy of an object with one change at a random place. */
export function mutate(choices: Choices, object: JsonObject, isMetadata = false): JsonObject {
  const places = placesIn(object).filter(
    (place) => isMetadata || (place[0] !== 'metadata' && place[0] !== 'apiVersion' && place[0] !== 'kind'),
  );
  if (places.length === 0) return object;
  const place = choices.one(places);
  return changeAt(object, place, choices) as JsonObject;
}

/** Returns the paths of all values of an object. */
function placesIn(value: Json | undefined, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const entries: readonly (readonly [string | number, Json | undefined])[] = Array.isArray(value)
    ? value.map((item: Json, index) => [index, item] as const)
    : Object.entries(value);
  const inner = entries.flatMap(([key, item]) => placesIn(item, [...path, key]));
  return path.length === 0 ? inner : [path, ...inner];
}

function changeAt(value: Json | undefined, place: readonly (string | number)[], choices: Choices): Json | undefined {
  const [key, ...rest] = place;
  if (key === undefined) return changed(value, choices);
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    if (rest.length === 0 && choices.chance(0.2)) return [...items, items[key as number] ?? null];
    return items.flatMap((item, index) => {
      if (index !== key) return [item];
      const next = changeAt(item, rest, choices);
      return next === undefined ? [] : [next];
    });
  }
  const fields = value as JsonObject;
  return { ...fields, [key]: changeAt(fields[key], rest, choices) };
}

/** Returns another value, or `undefined` to remove it. */
function changed(value: Json | undefined, choices: Choices): Json | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return choices.weighted<() => Json | undefined>([
    [3, () => undefined],
    [1, () => null],
    [6, () => sameType(value, choices)],
    [3, () => choices.one(VALUES)],
    [isObject ? 2 : 0, () => ({ ...(value as JsonObject), unknown: choices.one(VALUES) })],
  ])();
}

function sameType(value: Json | undefined, choices: Choices): Json | undefined {
  const like = VALUES.filter((other) => typeof other === typeof value && Array.isArray(other) === Array.isArray(value));
  return choices.one(like.length > 0 ? like : VALUES);
}
