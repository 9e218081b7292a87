import type { ServedRule, ServedSchema } from './crd-schema.ts';
import { otherFieldsOf, propertyOf } from './crd-schema.ts';

/** A rule for some values of a field, as `crdOf` of `@mcr/kinds` writes it for an option of a discriminated union. */
const CONDITIONAL = /^!\(self\.(\w+) (?:== (\S+)|in \[(.*)\])\) \|\| [^?]+$/;
/** A rule that does not allow a field in some cases. */
const ABSENT = /\|\| !has\(self\.(\w+)\)$/;

/**
 * Returns the first rule in CEL that objects may break which the earlier rules accepted. A rule that is new may narrow the
 * schema, unless it only applies to values or fields that the earlier schema did not have.
 */
export function narrowedRule(before: ServedSchema, after: ServedSchema): string | undefined {
  const known = new Set(rulesOf(before).map(textOf));
  const added = rulesOf(after).find((rule) => !known.has(textOf(rule)) && !isVacuous(rule.rule, before));
  return added && `new rule ${added.rule}`;
}

function rulesOf(schema: ServedSchema): readonly ServedRule[] {
  return schema['x-kubernetes-validations'] ?? [];
}

function textOf({ rule, optionalOldSelf = false }: ServedRule): string {
  return JSON.stringify([rule, optionalOldSelf]);
}

/** Reports whether every object of a schema satisfies a rule. */
function isVacuous(rule: string, before: ServedSchema): boolean {
  const [, field = '', value, values = value] = CONDITIONAL.exec(rule) ?? [];
  const listed = parseValues(values);
  if (!listed) return false;
  const earlier = isEscaped(field) ? undefined : propertyOf(before, field)?.enum;
  if (earlier && !earlier.some((each) => listed.includes(each))) return true;
  const absent = ABSENT.exec(rule)?.[1];
  if (absent === undefined || isEscaped(absent)) return false;
  return !otherFieldsOf(before) && propertyOf(before, absent) === undefined;
}

function parseValues(texts: string | undefined): readonly unknown[] | undefined {
  try {
    return texts === undefined ? undefined : (JSON.parse(`[${texts}]`) as unknown[]);
  } catch {
    return undefined;
  }
}

/** CEL has other names for some fields, such as `a__dash__b` for `a-b`. */
function isEscaped(name: string): boolean {
  return name.includes('__');
}
