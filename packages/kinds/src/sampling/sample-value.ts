import type { StructuralSchema } from '../structural/structural-schema.ts';
import { examplesOf } from '../structural/examples.ts';
import type { Random } from './random.ts';
import { samplePattern } from './sample-pattern.ts';

const MAX_ITEMS = 3;
/** Some lists and maps are longer, so that a converter that keeps the first items is found. */
const MANY_ITEMS = 12;
/** Keys of maps that every object inherits, or that are not a name. */
const UNUSUAL_KEYS = ['constructor', 'toString', 'hasOwnProperty', 'a.b/c-d', '0', ''];
const WORDS = ['', 'a', 'b', 'ab', 'auto', 'Ünïcode', 'a.b', 'x-1', 'line\nbreak', '\u2028', '  ', '0', 'true'];
const ANYTHING: readonly unknown[] = [0, 1.5, true, 'text', [], [1, 'two'], {}, { a: { b: null } }];

/**
 * Returns a value that probably matches a structural schema: an example, or a random value. Rules in CEL are ignored.
 */
export function sampleValue(schema: StructuralSchema, random: Random): unknown {
  const examples = examplesOf(schema);
  if (examples) return structuredClone(random.pick(examples));
  if (schema.nullable && random.chance(0.2)) return null;
  const values = schema.enum ?? schema.allOf?.find((part) => part.enum)?.enum;
  if (values) return random.pick(values);
  if (schema.anyOf && random.chance(0.9)) {
    const { anyOf, ...rest } = schema;
    return sampleValue({ ...rest, ...random.pick(anyOf) }, random);
  }
  if (schema['x-kubernetes-int-or-string']) {
    return random.chance(0.5) ? integerValue(schema, random) : stringValue(schema, random);
  }
  switch (schema.type) {
    case 'boolean':
      return random.chance(0.5);
    case 'integer':
      return integerValue(schema, random);
    case 'number':
      return numberValue(schema, random);
    case 'string':
      return stringValue(schema, random);
    case 'array':
      return arrayValue(schema, random);
    case 'object':
      return objectValue(schema, random);
    default:
      return random.pick(ANYTHING);
  }
}

function integerValue({ minimum = -100, maximum = 100, multipleOf = 1 }: StructuralSchema, random: Random): number {
  const [from, to] = [Math.max(minimum, -1000), Math.min(maximum, 1000)];
  if (random.chance(0.2)) return random.chance(0.5) ? Math.ceil(minimum) : Math.floor(maximum);
  const value = from <= to ? random.integer(Math.ceil(from), Math.floor(to)) : Math.ceil(minimum);
  return multipleOf === 1 ? value : Math.round(value / multipleOf) * multipleOf;
}

function numberValue({ minimum = -100, maximum = 100 }: StructuralSchema, random: Random): number {
  if (random.chance(0.3)) return random.pick([minimum, maximum]);
  const [from, to] = [Math.max(minimum, -1e6), Math.min(maximum, 1e6)];
  const value = from + random.next() * (to - from);
  return random.chance(0.3) ? Math.round(value) : Math.round(value * 1000) / 1000;
}

function stringValue(schema: StructuralSchema, random: Random): string {
  const { pattern, minLength = 0, maxLength = Infinity } = schema;
  if (pattern !== undefined) return samplePattern(pattern, random);
  const text = random.pick(WORDS);
  return text.padEnd(minLength, 'z').slice(0, maxLength);
}

function arrayValue({ items = {}, minItems = 0, maxItems = Infinity }: StructuralSchema, random: Random): unknown[] {
  const length = random.integer(minItems, Math.min(maxItems, minItems + mostItems(random)));
  return Array.from({ length }, () => sampleValue(items, random));
}

function objectValue(schema: StructuralSchema, random: Random): Record<string, unknown> {
  const { properties = {}, required = [], additionalProperties, minProperties = 0, maxProperties = Infinity } = schema;
  const fields: [string, unknown][] = [];
  for (const [name, property] of Object.entries(properties)) {
    if (required.includes(name) || random.chance(0.6)) fields.push([name, sampleValue(property, random)]);
  }
  if (additionalProperties) {
    const count = random.integer(minProperties, Math.max(minProperties, Math.min(maxProperties, mostItems(random))));
    const keys = new Set(random.chance(0.3) && count > 0 ? [random.pick(UNUSUAL_KEYS)] : []);
    for (let index = 0; keys.size < count; index += 1) keys.add(`key-${index}`);
    for (const key of keys) fields.push([key, sampleValue(additionalProperties, random)]);
  }
  return Object.fromEntries(fields);
}

function mostItems(random: Random): number {
  return random.chance(0.1) ? MANY_ITEMS : MAX_ITEMS;
}
