import type { Expr } from './syntax.ts';

/** Returns a node and all that it contains. */
export function* descendants(expr: Expr): Generator<Expr> {
  yield expr;
  for (const child of childrenOf(expr)) yield* descendants(child);
}

/** Returns the nodes that a node contains directly. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
      return [];
    case 'select':
      return [expr.operand];
    case 'call':
      return [...(expr.target ? [expr.target] : []), ...expr.args];
    case 'list':
      return expr.items.map(({ value }) => value);
    case 'map':
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case 'message':
      return expr.fields.map(({ value }) => value);
    case 'fold':
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
  }
}
