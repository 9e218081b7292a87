import { DYN } from '../cel/types.ts';
import type { Value } from '../cel/values.ts';
import type { Expression } from './expression.ts';
import { Budget, compileExpression, CONDITIONS_BUDGET, evaluate, EvaluationFailure } from './expression.ts';
import { AuthorizerValue, requestResource } from './authorizer-library.ts';
import { requestType } from './expression-types.ts';
import { valueOf } from './expression-values.ts';
import type { MatchCondition } from './hook.ts';
import type { ReviewContext } from './review.ts';
import { admissionRequest } from './review.ts';
import type { VersionedAttributes } from './versioned.ts';

const compiled = new WeakMap<MatchCondition, Expression>();

/** Returns the compiled match condition of a webhook. */
export function conditionOf(condition: MatchCondition): Expression {
  const known = compiled.get(condition);
  if (known) return known;
  const expression = compileExpression(condition.expression, ['bool'], {});
  compiled.set(condition, expression);
  return expression;
}

/** Returns the values of the variables that all expressions have. */
export function variablesOf(versioned: VersionedAttributes, context: ReviewContext): Record<string, Value> {
  const { uid: _, object, oldObject, ...request } = admissionRequest('', versioned, context);
  const authorizer = new AuthorizerValue(context.authorizer, context.user);
  return {
    object: valueOf(object, DYN),
    oldObject: valueOf(oldObject, DYN),
    request: valueOf(request, requestType),
    authorizer,
    'authorizer.requestResource': requestResource(authorizer, versioned.attributes),
  };
}

/**
 * Reports whether all match conditions are true. One that is false decides, also if others fail.
 *
 * @throws {EvaluationFailure} if a condition fails and none is false.
 */
export function conditionsMatch(
  conditions: readonly Expression[],
  variables: Readonly<Record<string, Value>>,
): boolean {
  const budget = new Budget(CONDITIONS_BUDGET);
  const failures: string[] = [];
  for (const expression of conditions) {
    try {
      if (evaluate(expression, variables, budget) === false) return false;
    } catch (error) {
      if (!(error instanceof EvaluationFailure)) throw error;
      failures.push(error.message);
    }
  }
  const [first] = failures;
  if (first === undefined) return true;
  const unique = [...new Set(failures)];
  throw new EvaluationFailure(unique.length === 1 ? first : `[${unique.join(', ')}]`);
}
