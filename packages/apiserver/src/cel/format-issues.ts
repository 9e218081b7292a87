import type { Checked } from './checker.ts';
import type { Clause } from './library/format-clauses.ts';
import { interpolate, unfit } from './library/format-clauses.ts';
import type { Call, Expr, Issue, ListLiteral } from './syntax.ts';
import type { TypeKind } from './types.ts';
import { typeNameOfType } from './types.ts';
import { EvaluationError } from './values.ts';

const INTEGERS: readonly TypeKind[] = ['int', 'uint'];
const DOUBLES: readonly TypeKind[] = ['double', 'string'];

/** Types that each clause accepts. */
const ACCEPTED: Readonly<Record<string, readonly TypeKind[]>> = {
  s: [...INTEGERS, ...DOUBLES, 'list', 'map', 'bool', 'timestamp', 'bytes', 'duration', 'type', 'null'],
  d: INTEGERS,
  f: DOUBLES,
  e: DOUBLES,
  b: [...INTEGERS, 'bool'],
  x: [...INTEGERS, 'string', 'bytes'],
  o: INTEGERS,
};

/**
 * Returns the error of a call of `format` whose format and arguments are literals. (Upstream: `stringFormatValidator` of
 * cel-go.)
 */
export function formatIssue(checked: Checked, call: Call): Issue | undefined {
  const { name, target, args } = call;
  const [list] = args;
  if (name !== 'format' || target?.kind !== 'literal' || list?.kind !== 'list') return undefined;
  if (typeof target.value !== 'string') return undefined;
  return issueOf(checked, call, target.value, list);
}

function issueOf(checked: Checked, { at }: Call, template: string, { items }: ListLiteral): Issue | undefined {
  let requested = 0;
  let faulty: Expr | undefined;
  try {
    interpolate(template, {
      count: items.length,
      request: () => {
        requested += 1;
      },
      format(clause, index) {
        faulty = unfitPart(checked, clause, items[index]?.value);
        if (faulty) throw unfit(clause, typeNameOfType(checked.typeOf(faulty)));
        return '';
      },
    });
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return { at: faulty?.at ?? at, message: error.message };
  }
  if (items.length <= requested) return undefined;
  const counts = `expected ${requested}, got ${items.length}`;
  return { at, message: `too many arguments supplied to string.format (${counts})` };
}

/** Returns the first part of an argument that a clause does not accept. */
function unfitPart(checked: Checked, clause: Clause, expr: Expr | undefined): Expr | undefined {
  if (!expr) return undefined;
  const { kind } = checked.typeOf(expr);
  if (kind !== 'dyn' && !ACCEPTED[clause.verb.toLowerCase()]?.includes(kind)) return expr;
  if (clause.verb !== 's') return undefined;
  const parts =
    expr.kind === 'list'
      ? expr.items.map(({ value }) => value)
      : expr.kind === 'map'
        ? expr.entries.flatMap(({ key, value }) => [key, value])
        : [];
  for (const part of parts) {
    const found = unfitPart(checked, clause, part);
    if (found) return found;
  }
  return undefined;
}
