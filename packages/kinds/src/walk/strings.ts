import type * as core from 'zod/v4/core';
import { escaped } from '../pattern/escaped.ts';
import { serverPattern } from '../pattern/server-pattern.ts';
import { UnsupportedPatternError } from '../pattern/unsupported-pattern-error.ts';
import { IPV6 } from './ip-pattern.ts';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import { checksOf, refuseCheck } from './checks.ts';
import { refuseCoercion } from './numbers.ts';
import type { SchemaPath } from './schema-path.ts';

/**
 * Returns a format that rules need to see a timestamp or a duration. Other formats say nothing that their pattern does not.
 * A server accepts a list in place of a string that has a format, so lists are refused by their length.
 */
export function serverFormat(format: 'date-time' | 'date' | 'duration'): StructuralSchema {
  return { format, minItems: 1, maxItems: 0 };
}

/** Formats that zod checks with code. These patterns accept the same texts. */
const PATTERNS: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    base64: /^(?:[0-9A-Za-z+/]{4})*(?:[0-9A-Za-z+/]{2}==|[0-9A-Za-z+/]{3}=)?$/,
    base64url: /^(?:[0-9A-Za-z_-]{4})*(?:[0-9A-Za-z_-]{2,3})?$/,
    ipv6: IPV6,
    cidrv6: new RegExp(`^(?:${IPV6.source.slice(1, -1)})/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9])$`),
  }),
);

/** Formats that zod checks with code that has no equivalent. */
const REFUSED_FORMATS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    credit_card: 'store no card numbers in a cluster',
    iban: 'use z.string().regex() for its characters, and admission: "webhook" for the check digits',
    jwt: 'store tokens in a Secret, and refer to it by name',
    url: 'use z.string().regex(/^https:\\/\\/\\S+$/), or a rule: k8s.cel({ rule: "isURL(self)" })',
  }),
);

/** Translates `z.string()` and its formats. */
export function stringSchema(schema: core.$ZodString, at: SchemaPath): StructuralSchema {
  if (schema._zod.def.coerce) refuseCoercion(at, 'string');
  const result: StructuralSchema = { type: 'string' };
  const patterns: string[] = [];
  for (const check of checksOf(schema, result, at)) {
    const { def } = check._zod;
    switch (def.check) {
      case 'min_length':
        result.minLength = Math.max(result.minLength ?? 0, def.minimum);
        break;
      case 'max_length':
        result.maxLength = Math.min(result.maxLength ?? Infinity, def.maximum);
        break;
      case 'length_equals':
        result.minLength = Math.max(result.minLength ?? 0, def.length);
        result.maxLength = Math.min(result.maxLength ?? Infinity, def.length);
        break;
      case 'string_format':
        patterns.push(formatPattern(def, at));
        setFormat(result, def);
        break;
      default:
        refuseCheck(check, at);
    }
  }
  setPatterns(result, patterns);
  return result;
}

/** Sets patterns that all must match. In `allOf`, structural schemas have no type. */
export function setPatterns(result: StructuralSchema, patterns: readonly string[]): void {
  const [first, ...others] = [...new Set(patterns)];
  if (first !== undefined) result.pattern = first;
  if (others.length > 0) result.allOf = others.map((pattern) => ({ pattern }));
}

function setFormat(result: StructuralSchema, { format, ...def }: core.$ZodCheckStringFormatDef): void {
  if (format === 'date') Object.assign(result, serverFormat('date'));
  const isTime = format === 'datetime' && !(def as { local?: boolean }).local;
  if (isTime) Object.assign(result, serverFormat('date-time'));
}

function formatPattern(def: core.$ZodCheckStringFormatDef, at: SchemaPath): string {
  const { format } = def;
  const remedy = REFUSED_FORMATS.get(format);
  if (remedy !== undefined) at.fail(`the format ${format} is checked by code`, remedy);
  if ((def as { position?: number }).position !== undefined) {
    at.fail('.includes() with a position has no equivalent on the server', 'use .regex()');
  }
  const pattern = exactPattern(def) ?? PATTERNS.get(format) ?? def.pattern;
  if (!pattern) {
    at.fail(`the format ${format} is a function`, 'use z.string().regex(), or z.stringFormat() with a pattern');
  }
  return translated(pattern, at);
}

/** zod finds these texts without a pattern, also across line breaks. */
function exactPattern(def: core.$ZodCheckStringFormatDef): RegExp | undefined {
  const { prefix, suffix } = def as { prefix?: string; suffix?: string };
  if (def.format === 'starts_with' && prefix !== undefined) return new RegExp(`^${escaped(prefix)}`, 'u');
  if (def.format === 'ends_with' && suffix !== undefined) return new RegExp(`${escaped(suffix)}$`, 'u');
  return undefined;
}

/** @throws {SchemaError} if the server does not support the pattern. */
export function translated(pattern: RegExp, at: SchemaPath): string {
  try {
    return serverPattern(pattern);
  } catch (error) {
    if (error instanceof UnsupportedPatternError) at.fail(error.message, error.remedy);
    throw error;
  }
}
