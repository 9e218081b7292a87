import type { Random } from '../sampling/random.ts';
import { sampleValue } from '../sampling/sample-value.ts';
import type { StructuralSchema } from '../structural/structural-schema.ts';

const OTHERS: readonly unknown[] = [
  ...[null, 0, -1, 1, 2.5, 10, 2 ** 31, -(2 ** 31) - 1, 2 ** 53 - 1, 1e300, true, false],
  ...[
    '',
    'a',
    'auto',
    'ab cd',
    'to be',
    'éé',
    'abcdefghijklm',
    '2026-02-29T00:00:00Z',
    '2026-01-02T03:04:05Z',
    '10.0.0.300',
  ],
  ...['::1', '1::2:3', 'a\u2028b', ' \t', '1.5Gi', '99z', '1h', 'aGk=', 'aGk', '+31612345678', '\ufeff'],
  ...[
    [],
    ['a', 'a'],
    [null],
    [1, 1],
    {},
    { a: 1 },
    { name: 'x' },
    [{ name: 'x' }, { name: 'x' }],
    [{ name: 'x' }, { name: 'y' }],
  ],
];

/** Returns a random value for a schema. About half of the values have one part replaced, which most often is wrong. */
export function valueOf(schema: StructuralSchema, random: Random): unknown {
  const value = sampleValue(schema, random);
  return random.chance(0.5) ? value : mutated(value, random);
}

function mutated(value: unknown, random: Random): unknown {
  if (Array.isArray(value) && value.length > 0 && random.chance(0.7)) {
    const index = random.integer(0, value.length - 1);
    if (random.chance(0.3)) return [...(value as unknown[]), value[index]];
    return value.map((item: unknown, at) => (at === index ? mutated(item, random) : item));
  }
  if (typeof value === 'object' && value !== null && random.chance(0.8)) {
    const entries = Object.entries(value);
    if (entries.length === 0 || random.chance(0.2)) return { ...value, unknown: random.pick(OTHERS) };
    const [name, inner] = random.pick<[string, unknown]>(entries);
    if (random.chance(0.3)) return Object.fromEntries(entries.filter(([other]) => other !== name));
    return { ...value, [name]: mutated(inner, random) };
  }
  if (typeof value === 'string' && random.chance(0.4)) return value + random.pick(['a', '1', ' ', '.', '\n', 'é']);
  if (typeof value === 'number' && random.chance(0.4)) return value + random.pick([1, -1, 0.5]);
  return random.pick(OTHERS);
}

/** Drops null from fields that are not nullable, as the server does before it sets defaults. */
export function withoutNulls(schema: StructuralSchema | undefined, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(schema?.items, item));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    const properties = schema?.properties ?? {};
    const property = Object.hasOwn(properties, name) ? properties[name] : schema?.additionalProperties;
    if (inner === null && property && !property.nullable) return [];
    return [[name, withoutNulls(property, inner)] as const];
  });
  return Object.fromEntries(kept);
}
