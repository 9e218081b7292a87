import type { Checked } from './checker.ts';
import { childrenOf } from './descendants.ts';
import type { Expr, Issue, ListLiteral, MapLiteral } from './syntax.ts';
import type { CelType } from './types.ts';
import { DYN, typeText } from './types.ts';

/**
 * Returns the errors of list and map literals with values of different types. Only within a call of `format` may they differ.
 * (Upstream: `ValidateHomogeneousAggregateLiterals` of cel-go.)
 */
export function mixedIssues(checked: Checked, expr: Expr): Issue[] {
  const own = expr.kind === 'list' ? listIssues(checked, expr) : expr.kind === 'map' ? mapIssues(checked, expr) : [];
  if (expr.kind === 'call' && expr.name === 'format') return own;
  return [...own, ...childrenOf(expr).flatMap((child) => mixedIssues(checked, child))];
}

/** Only the first value of another type is reported. */
function listIssues(checked: Checked, { items }: ListLiteral): Issue[] {
  return differences(checked, items).slice(0, 1);
}

function mapIssues(checked: Checked, { entries }: MapLiteral): Issue[] {
  return [
    ...differences(
      checked,
      entries.map(({ key }) => ({ value: key, optional: false })),
    ),
    ...differences(checked, entries),
  ];
}

interface Item {
  readonly value: Expr;
  readonly optional: boolean;
}

/** Returns the errors of values whose type is not that of the first one. */
function differences(checked: Checked, items: readonly Item[]): Issue[] {
  const [first, ...others] = items.map((item) => ({ at: item.value.at, type: typeText(typeOf(checked, item)) }));
  return others
    .filter(({ type }) => type !== first?.type)
    .map(({ at, type }) => ({ at, message: `expected type '${first?.type}' but found '${type}'` }));
}

function typeOf(checked: Checked, { value, optional }: Item): CelType {
  const type = checked.typeOf(value);
  return optional ? (type.params[0] ?? DYN) : type;
}
