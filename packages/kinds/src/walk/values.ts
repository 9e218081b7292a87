import type { StructuralSchema } from '../structural/structural-schema.ts';
import type { SchemaPath } from './schema-path.ts';

/** Translates the values of `z.enum()` and `z.literal()`. */
export function valuesSchema(values: readonly unknown[], at: SchemaPath): StructuralSchema {
  const others = values.filter((value) => value !== null);
  const types = new Set(others.map(typeOf));
  const numbers = types.has('number') && types.delete('integer');
  const [type, ...more] = types;
  if (type === undefined) at.fail('z.literal(null) accepts no other value', 'use .nullable() on another type');
  if (type !== 'string' && type !== 'integer' && type !== 'number' && type !== 'boolean') {
    at.fail(`a literal of type ${type} is not a value of JSON`, 'use strings, numbers or booleans');
  }
  if (more.length > 0) {
    at.fail(
      `the values have more than one type: ${[type, ...more].join(', ')}`,
      'use strings only, or k8s.intOrString()',
    );
  }
  if (numbers && others.some((value) => !Number.isFinite(value))) {
    at.fail('a literal is not a finite number', 'remove it');
  }
  const schema: StructuralSchema = { type, enum: [...others] };
  return others.length < values.length ? withNull(schema) : schema;
}

function typeOf(value: unknown): string {
  return Number.isSafeInteger(value) ? 'integer' : typeof value;
}

/**
 * Returns the schema of the same values and null. A real server refuses null beside an enum, even if the enum has it, and
 * does not compare it with an enum in `allOf`.
 */
export function withNull({ enum: values, ...schema }: StructuralSchema): StructuralSchema {
  const allOf = [...(schema.allOf ?? []), ...(values ? [{ enum: values }] : [])];
  return { ...schema, nullable: true, ...(allOf.length > 0 && { allOf }) };
}

/** Returns the schema of the same values without null. */
export function withoutNull({ nullable, allOf = [], ...schema }: StructuralSchema): StructuralSchema {
  const values = nullable ? allOf.find((part) => part.enum)?.enum : undefined;
  const others = values ? allOf.filter((part) => !part.enum) : allOf;
  return { ...schema, ...(values && { enum: values }), ...(others.length > 0 && { allOf: others }) };
}
