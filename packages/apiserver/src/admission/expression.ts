import type { Compiled } from '../cel/compile.ts';
import { compile } from '../cel/compile.ts';
import type { CelType, TypeKind } from '../cel/types.ts';
import { DYN, typeText } from '../cel/types.ts';
import type { Value } from '../cel/values.ts';
import { admissionFunctions, AUTHORIZER, RESOURCE_CHECK } from './authorizer-library.ts';
import { namespaceType, requestType } from './expression-types.ts';

/** Limits of the cost of one evaluation, of all expressions of a policy, and of the match conditions of a webhook. */
export const CALL_LIMIT = 1_000_000;
export const POLICY_BUDGET = 10_000_000;
export const CONDITIONS_BUDGET = 2_500_000;

/** An expression could not be evaluated. The message is that of kube-apiserver. */
export class EvaluationFailure extends Error {
  override readonly name = 'EvaluationFailure';
}

/** The variables of an expression that depend on the object that contains it. */
export interface Declarations {
  readonly params?: boolean;
  /** Default: true. */
  readonly authorizer?: boolean;
  /** Type of `variables`. Default: there are none. */
  readonly variables?: CelType;
}

/** A compiled expression, or why it does not compile. */
export type Expression =
  | { readonly text: string; readonly compiled: Compiled; readonly error?: undefined }
  | { readonly text: string; readonly compiled?: undefined; readonly error: string };

/** Compiles an expression of a match condition or a policy. */
export function compileExpression(text: string, results: readonly TypeKind[], declarations: Declarations): Expression {
  const { params = false, authorizer = true, variables } = declarations;
  const result = compile(text, {
    variables: {
      object: DYN,
      oldObject: DYN,
      request: requestType,
      namespaceObject: namespaceType,
      ...(params && { params: DYN }),
      ...(authorizer && { authorizer: AUTHORIZER, 'authorizer.requestResource': RESOURCE_CHECK }),
      ...(variables && { variables }),
    },
    functions: admissionFunctions,
  });
  if (!result.compiled) return { text, error: `compilation failed: ${result.error}` };
  const { compiled } = result;
  if (compiled.instantiationError !== undefined) {
    return { text, error: `program instantiation failed: ${compiled.instantiationError}` };
  }
  if (results.length === 0 || results.includes(compiled.type.kind)) return { text, compiled };
  const names = results.map((kind) => (kind === 'null' ? 'null_type' : kind));
  const wanted = names.length === 1 ? (names[0] ?? '') : `one of [${names.join(' ')}]`;
  return { text, error: `must evaluate to ${wanted} but got ${typeText(compiled.type)}` };
}

/** The cost that may still be spent on the evaluation of expressions. */
export class Budget {
  #left: number;

  constructor(limit: number) {
    this.#left = limit;
  }

  /** @throws {EvaluationFailure} if there is not enough left. */
  spend(cost: number): void {
    if (cost > this.#left) {
      throw new BudgetExceeded(
        'validation failed due to running out of cost budget, no further validation rules will be run',
      );
    }
    this.#left -= cost;
  }
}

/** No further expressions can be evaluated. */
export class BudgetExceeded extends EvaluationFailure {}

/** Evaluates an expression. @throws {EvaluationFailure} */
export function evaluate(expression: Expression, variables: Readonly<Record<string, Value>>, budget: Budget): Value {
  const { text, compiled, error: compilationError } = expression;
  if (!compiled) throw new EvaluationFailure(`compilation error: ${compilationError}`);
  const { value, error, cost } = compiled.evaluate(variables, CALL_LIMIT);
  budget.spend(cost);
  if (error) throw new EvaluationFailure(`expression '${text}' resulted in error: ${error.message}`);
  return value;
}
