import { z } from 'zod';
import { k8s } from '../index.ts';
import type { Random } from '../sampling/random.ts';

const PATTERNS = [
  /^[a-z]+$/,
  /^a.*b$/,
  /^\w+\s\d{2,3}$/,
  /x|y/,
  /^(?:ab|c[^d-f]){1,3}$/,
  /[\s]/,
  /^\S*$/,
  /\bto\b/,
  /^[\u00e0-\u017f]{2}$/u,
  /^[-a\]]*\.$/,
];

const FORMATS: readonly (() => z.ZodType)[] = [
  () => z.iso.datetime({ offset: true }),
  () => z.iso.datetime(),
  () => z.iso.date(),
  () => z.iso.time(),
  () => z.uuid(),
  () => z.uuidv4(),
  () => z.email(),
  () => z.ipv4(),
  () => z.ipv6(),
  () => z.cidrv4(),
  () => z.cidrv6(),
  () => z.base64(),
  () => z.base64url(),
  () => z.e164(),
  () => z.hex(),
  () => z.mac(),
  () => z.ulid(),
  () => k8s.duration(),
  () => k8s.time(),
];

type Maker = (random: Random, depth: number) => z.ZodType;

const SCALARS: readonly Maker[] = [
  (random) => bounded(z.string(), random),
  (random) => bounded(z.string().regex(random.pick(PATTERNS)), random),
  (random) => z.string().regex(random.pick(PATTERNS)).regex(random.pick(PATTERNS)),
  () => z.string().startsWith('a').endsWith('b'),
  () => z.string().includes('a.b'),
  () => z.string().lowercase(),
  (random) => random.pick(FORMATS)(),
  () => z.boolean(),
  () => z.int(),
  (random) =>
    z
      .int32()
      .min(random.integer(-9, 0))
      .lt(random.integer(1, 9) + (random.chance(0.3) ? 0.5 : 0)),
  (random) => z.int32().multipleOf(random.integer(1, 7)),
  () => z.uint32(),
  (random) => random.pick([z.number().min(-0.5), z.number().max(0.5), z.number().gt(0.5), z.number().lt(-0.5)]),
  () => z.number(),
  (random) => z.number().gt(random.integer(-9, 0)).lte(random.integer(1, 9)),
  () => z.enum(['a', 'b', 'auto']),
  (random) => z.literal(random.pick([['a'], [1, 2], [true], ['x', 'y']])),
  () => z.union([z.literal('auto'), z.string().regex(/^\d+$/)]),
  () => z.union([z.int32().max(-1), z.int32().min(5)]),
  () => z.templateLiteral(['v', z.int(), z.enum(['a', 'b'])]),
  () => k8s.intOrString(),
  () => z.union([z.int32().min(1).max(9), z.enum(['auto', 'max'])]),
  () => k8s.quantity(),
];

const COMPOSITES: readonly Maker[] = [
  (random, depth) => z.object(fields(random, depth)),
  (random, depth) => z.looseObject(fields(random, depth)),
  (random, depth) => z.array(schemaOf(random, depth - 1)).max(random.integer(1, 4)),
  (random, depth) => z.record(z.string(), schemaOf(random, depth - 1)),
  (random, depth) => k8s.mapOf(schemaOf(random, depth - 1), { min: random.integer(0, 1), max: 2 }),
  (random) => k8s.listSet(random.pick([z.string(), z.int32(), z.boolean()])),
  (random, depth) =>
    k8s.listMap(z.object({ name: z.string().max(3), key: z.int32().default(0), ...fields(random, depth) }), [
      'name',
      'key',
    ]),
  () => z.any(),
  () => k8s.rawObject(),
  () => k8s.labelSelector(),
  () => k8s.condition(),
];

/** Returns a random schema that crdOf supports. Rules in CEL are compared apart. */
export function schemaOf(random: Random, depth: number): z.ZodType {
  const schema = random.pick(depth > 0 && random.chance(0.5) ? COMPOSITES : SCALARS)(random, depth);
  const nullable = random.chance(0.15) ? schema.nullable() : schema;
  return random.chance(0.1) ? nullable.readonly() : nullable;
}

function bounded(text: z.ZodString, random: Random): z.ZodString {
  const min = random.integer(0, 2);
  return text.min(min).max(min + random.integer(0, 4));
}

function fields(random: Random, depth: number): Record<string, z.ZodType> {
  const names = ['a', 'b-c', 'd.e', 'f g'].slice(0, random.integer(0, 4));
  return Object.fromEntries(names.map((name) => [name, field(random, depth)]));
}

function field(random: Random, depth: number): z.ZodType {
  const schema = schemaOf(random, depth - 1);
  const choice = random.next();
  if (choice < 0.4) return schema;
  if (choice < 0.7) return schema.optional();
  const value = random.pick<unknown>(['a', 'auto', 1, 5, true, {}, [], { a: 1 }]);
  return schema.safeParse(value).success && isComplete(schema, value) ? schema.prefault(value) : schema.optional();
}

/** Reports whether the schema has every field of the value. */
function isComplete(schema: z.ZodType, value: unknown): boolean {
  const parsed: unknown = schema.parse(value);
  return JSON.stringify(value) === '{"a":1}' ? JSON.stringify(parsed).includes('"a":1') : true;
}
