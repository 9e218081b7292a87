import * as z from 'zod';
import { clientPattern } from '../pattern/client-pattern.ts';
import type { ServerKeywords, StructuralSchema } from '../structural/structural-schema.ts';
import { EQUIVALENT } from '../walk/checks.ts';
import { ON_SERVER } from '../walk/server-keywords.ts';

/* Schemas for third-party definitions, which have rules that zod has no equivalent for. `mcr types` writes them. */

/**
 * Sets keywords of the server's schema that zod has no equivalent for, such as `oneOf`. They replace the keywords that the
 * schema has on the server, and `undefined` removes one. zod does not check them.
 *
 * Call `.meta()` and `.describe()` on the result, which does not keep the metadata of an object.
 */
export function onServer<Schema extends z.ZodType>(schema: Schema, keywords: ServerKeywords): Schema {
  return schema.refine(() => true, { params: { [ON_SERVER]: keywords } });
}

/**
 * Gives a schema the types of its values, which the compiler would infer otherwise. Inference of a large schema is slow.
 *
 * The compiler does not compare them with the schema.
 */
export function typed<Output, Input = Output>(schema: z.ZodType): z.ZodType<Output, Input> {
  // The caller declares the types.
  return schema as z.ZodType<Output, Input>;
}

/** An integer without limits, as Go's `int32` and `int64`. zod refuses integers beyond 2^53, which lose digits in JSON. */
export function integer(format?: 'int32' | 'int64'): z.ZodNumber {
  const schema: StructuralSchema = { type: 'integer', ...(format !== undefined && { format }) };
  return z.number().refine(Number.isSafeInteger, { error: 'expected an integer', params: { [EQUIVALENT]: schema } });
}

/**
 * A string that matches a pattern in the syntax of the server, which is Go's. zod checks patterns that JavaScript can check,
 * and leaves others to the server.
 *
 * @param pattern the text as it is in the definition, such as `^(?i)abort$`. `regex` of zod takes patterns of JavaScript.
 */
export function pattern(pattern: string): z.ZodString {
  const expression = clientPattern(pattern);
  return z.string().refine((text) => expression?.test(text) ?? true, {
    error: `expected a string that matches ${pattern}`,
    params: { [EQUIVALENT]: { pattern } satisfies StructuralSchema },
  });
}
