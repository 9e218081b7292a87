import type { Call, Expr } from './syntax.ts';

/** Maximum depth of a syntax tree in cel-go, whose parser counts each node on the way to the deepest one. */
const TREE_LIMIT = 251;

/** The depths of the nodes that a parser creates. */
export class SyntaxDepth {
  readonly #depths = new WeakMap<Expr, number>();

  /** Notes a node above others, and reports whether the tree is not too deep. */
  add(node: Expr, children: readonly (Expr | undefined)[]): boolean {
    let depth = 1;
    for (const child of children) depth = Math.max(depth, 1 + this.#of(child));
    this.#depths.set(node, depth);
    return depth <= TREE_LIMIT;
  }

  #of(node: Expr | undefined): number {
    return node === undefined ? 0 : (this.#depths.get(node) ?? 1);
  }
}

/**
 * Joins the terms of a chain of `&&` or `||` to a balanced tree, as cel-go does, so that a long chain is not deep.
 *
 * @param positions offset of each operator; there is one more term.
 */
export function balancedChain(name: string, terms: readonly Expr[], positions: readonly number[]): Expr | undefined {
  const middle = positions.length >> 1;
  const at = positions[middle];
  if (at === undefined) return terms[0];
  const left = balancedChain(name, terms.slice(0, middle + 1), positions.slice(0, middle));
  const right = balancedChain(name, terms.slice(middle + 1), positions.slice(middle + 1));
  const call: Call | undefined = left && right && { kind: 'call', at, name, target: undefined, args: [left, right] };
  return call;
}
