import type { Value } from '../cel/values.ts';
import { EvaluationError, MapValue } from '../cel/values.ts';
import type { Turn } from '../turn.ts';
import { conditionsMatch } from './conditions.ts';
import { Budget, BudgetExceeded, CALL_LIMIT, evaluate, EvaluationFailure, POLICY_BUDGET } from './expression.ts';
import type { Policy, Validation } from './policy.ts';

/** Largest message that an expression makes, in bytes. */
const MESSAGE_LIMIT = 5 * 1024;

/** A validation that did not pass. */
export interface Decision {
  readonly message: string;
  readonly reason: string;
  /** Whether the request is denied regardless of the actions of the binding. */
  readonly always?: boolean;
}

/**
 * Evaluates a policy and returns the validations that did not pass. Other requests are served when the turn is over.
 * (Upstream: `validating/validator.go`.)
 */
export async function evaluatePolicy(
  policy: Policy,
  variables: Readonly<Record<string, Value>>,
  turn: Turn,
): Promise<Decision[]> {
  const failed = (error: unknown, always = false): Decision[] => {
    if (!(error instanceof EvaluationFailure)) throw error;
    if (policy.spec.failurePolicy === 'Ignore') return [];
    return [{ message: error.message, reason: 'Invalid', ...(always && { always }) }];
  };
  try {
    const inConditions = withVariables(policy, variables, new Budget(POLICY_BUDGET));
    if (!conditionsMatch(policy.matchConditions, inConditions)) return [];
  } catch (error) {
    return failed(error);
  }
  const budget = new Budget(POLICY_BUDGET);
  const decisions: Decision[] = [];
  const values = withVariables(policy, variables, budget);
  for (const validation of policy.validations) {
    if (turn.isOver) await turn.next();
    try {
      if (evaluate(validation.expression, values, budget) === true) continue;
      decisions.push({ message: messageOf(validation, values, budget), reason: validation.reason });
    } catch (error) {
      // Without budget, nothing else is evaluated.
      if (error instanceof BudgetExceeded) return failed(error);
      decisions.push(...failed(error));
    }
  }
  const annotationBudget = new Budget(POLICY_BUDGET);
  const inAnnotations = withVariables(policy, variables, annotationBudget);
  for (const expression of policy.auditAnnotations) {
    if (turn.isOver) await turn.next();
    try {
      evaluate(expression, inAnnotations, annotationBudget);
    } catch (error) {
      decisions.push(...failed(error, true));
    }
  }
  return decisions;
}

function withVariables(policy: Policy, values: Readonly<Record<string, Value>>, budget: Budget): Record<string, Value> {
  return { ...values, variables: new LazyVariables(policy, values, budget) };
}

function messageOf(
  { message, messageExpression, expression }: Validation,
  values: Readonly<Record<string, Value>>,
  budget: Budget,
): string {
  return (
    evaluatedMessage(messageExpression, values, budget) ||
    message.trim() ||
    `failed expression: ${expression.text.trim()}`
  );
}

function evaluatedMessage(
  expression: Validation['messageExpression'],
  values: Readonly<Record<string, Value>>,
  budget: Budget,
): string {
  if (!expression) return '';
  try {
    const value = evaluate(expression, values, budget);
    const text = typeof value === 'string' ? value.trim() : '';
    return Buffer.byteLength(text) > MESSAGE_LIMIT || text.includes('\n') ? '' : text;
  } catch (error) {
    if (!(error instanceof EvaluationFailure)) throw error;
    if (error instanceof BudgetExceeded) throw new EvaluationFailure(`failed messageExpression: ${error.message}`);
    return '';
  }
}

/** The variables of a policy: each is evaluated when an expression first uses it. */
class LazyVariables extends MapValue {
  readonly #policy: Policy;
  readonly #values: Readonly<Record<string, Value>>;
  readonly #budget: Budget;
  readonly #known = new Map<string, Value | EvaluationError>();

  constructor(policy: Policy, values: Readonly<Record<string, Value>>, budget: Budget) {
    super([], 'object');
    this.#policy = policy;
    this.#values = values;
    this.#budget = budget;
  }

  override get(key: Value): Value | undefined {
    const variable = this.#policy.variables.find(({ name }) => name === key);
    if (!variable) return undefined;
    const known = this.#known.get(variable.name) ?? this.#evaluate(variable);
    this.#known.set(variable.name, known);
    if (known instanceof EvaluationError) throw known;
    return known;
  }

  #evaluate({ name, expression }: Policy['variables'][number]): Value | EvaluationError {
    const { compiled, error } = expression;
    if (!compiled) return new EvaluationError(`composited variable "${name}" fails to compile: ${error}`);
    const outcome = compiled.evaluate({ ...this.#values, variables: this }, CALL_LIMIT);
    this.#budget.spend(outcome.cost);
    return outcome.error
      ? new EvaluationError(`composited variable "${name}" fails to evaluate: ${outcome.error.message}`)
      : outcome.value;
  }
}
