import type { Checked } from './checker.ts';
import type { Candidate } from './candidate.ts';
import { preparedCandidate } from './candidate.ts';
import type { Overload } from './functions.ts';
import { messageOf } from './messages.ts';
import type { Call, Comprehension, Expr, MessageLiteral } from './syntax.ts';
import type { Value } from './values.ts';
import {
  CostLimitError,
  EvaluationError,
  List,
  MapValue,
  noSuchOverload,
  Optional,
  TypeValue,
  Uint,
} from './values.ts';

/** State of one evaluation. */
class Evaluation {
  cost = 0;
  readonly #limit: number;
  /** Values by name. An accumulator can hold the error of a step. */
  readonly #variables: Map<string, Value | EvaluationError>;

  constructor(variables: Readonly<Record<string, Value>>, limit: number) {
    this.#variables = new Map(Object.entries(variables));
    this.#limit = limit;
  }

  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#limit) throw new CostLimitError();
  }

  get(name: string): Value {
    const value = this.#variables.get(name);
    if (value === undefined) throw new EvaluationError(`no such attribute(s): ${name}`);
    if (value instanceof EvaluationError) throw value;
    return value;
  }

  peek(name: string): Value | EvaluationError | undefined {
    return this.#variables.get(name);
  }

  set(name: string, value: Value | EvaluationError | undefined): void {
    if (value === undefined) this.#variables.delete(name);
    else this.#variables.set(name, value);
  }
}

type Step = (evaluation: Evaluation) => Value;

/** Result of an evaluation, and its cost in the units of cel-go. */
export type Outcome =
  | { readonly value: Value; readonly error?: undefined; readonly cost: number }
  | { readonly value?: undefined; readonly error: EvaluationError; readonly cost: number };

export type Program = (variables: Readonly<Record<string, Value>>, limit: number) => Outcome;

/** Prepares a checked expression for evaluation. */
export function program(checked: Checked): Program {
  const step = plan(checked, checked.expr);
  return (variables, limit) => {
    const evaluation = new Evaluation(variables, limit);
    try {
      const value = step(evaluation);
      return { value, cost: evaluation.cost };
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      return { error, cost: evaluation.cost };
    }
  };
}

function plan(checked: Checked, expr: Expr): Step {
  const typeName = checked.typeNameOf(expr);
  if (typeName !== undefined) {
    const value = new TypeValue(typeName);
    return (evaluation) => {
      evaluation.charge(1);
      return value;
    };
  }
  switch (expr.kind) {
    case 'literal': {
      const value = expr.type === 'uint' ? new Uint(expr.value as bigint) : expr.value;
      return () => value;
    }
    case 'ident':
      return planVariable(expr.name);
    case 'select': {
      const variable = checked.variableOf(expr);
      if (variable !== undefined) return planVariable(variable);
      const operand = plan(checked, expr.operand);
      const { field, test } = expr;
      if (test) return (evaluation) => hasField(operand(evaluation), field);
      return (evaluation) => {
        const value = operand(evaluation);
        evaluation.charge(1);
        return select(value, field);
      };
    }
    case 'call':
      return planCall(checked, expr);
    case 'list': {
      const items = expr.items.map(({ value, optional }) => ({ step: plan(checked, value), optional }));
      return (evaluation) => {
        const values = items.flatMap(({ step, optional }) => entryOf(step(evaluation), optional));
        evaluation.charge(10);
        return new List(values);
      };
    }
    case 'map': {
      const entries = expr.entries.map(({ key, value, optional }) => ({
        key: plan(checked, key),
        value: plan(checked, value),
        optional,
      }));
      return (evaluation) => {
        const found = entries.flatMap(({ key, value, optional }) => {
          const name = key(evaluation);
          return entryOf(value(evaluation), optional).map((entry) => [name, entry] as const);
        });
        evaluation.charge(30);
        return new MapValue(found);
      };
    }
    case 'message':
      return planMessage(checked, expr);
    case 'fold':
      return planFold(checked, expr);
  }
}

function planMessage(checked: Checked, { name, fields }: MessageLiteral): Step {
  const message = messageOf(name);
  const planned = fields.map(({ value, ...field }) => ({ ...field, step: plan(checked, value) }));
  return (evaluation) => {
    const values = planned.flatMap(({ name: field, step, optional }) =>
      entryOf(step(evaluation), optional).map((value) => [field, value] as const),
    );
    evaluation.charge(40);
    return message?.create(new Map(values)) ?? null;
  };
}

function planVariable(name: string): Step {
  return (evaluation) => {
    evaluation.charge(1);
    return evaluation.get(name);
  };
}

function entryOf(value: Value, optional: boolean): Value[] {
  if (!optional) return [value];
  if (!(value instanceof Optional)) throw noSuchOverload();
  return value.value === undefined ? [] : [value.value];
}

function hasField(operand: Value, field: string): boolean {
  if (operand instanceof Optional) return operand.value !== undefined && hasField(operand.value, field);
  if (!(operand instanceof MapValue)) throw noSuchOverload();
  return operand.has(field) || operand.has(`__${field}__`);
}

/** Returns a field, which can be null; `undefined` if it is absent. */
function fieldOf(map: MapValue, field: string): Value | undefined {
  const value = map.get(field);
  return value === undefined ? map.get(`__${field}__`) : value;
}

function select(operand: Value, field: string): Value {
  if (operand instanceof Optional) {
    if (operand.value === undefined) return operand;
    return optionalField(operand.value, field);
  }
  if (!(operand instanceof MapValue)) throw noSuchOverload();
  const value = fieldOf(operand, field);
  if (value === undefined) throw new EvaluationError(`no such key: ${field}`);
  return value;
}

function optionalField(operand: Value, field: string): Optional {
  if (operand instanceof Optional) return operand.value === undefined ? operand : optionalField(operand.value, field);
  if (!(operand instanceof MapValue)) throw noSuchOverload();
  return new Optional(operand.get(field));
}

function planCall(checked: Checked, call: Call): Step {
  const target = call.target && !checked.isNamespaced(call) ? [call.target] : [];
  const args = [...target, ...call.args].map((arg) => plan(checked, arg));
  const [first, second, third] = args;
  switch (call.name) {
    case '_&&_':
      return logical(args, false);
    case '_||_':
      return logical(args, true);
    case '_?_:_':
      return (evaluation) => {
        const condition = first?.(evaluation);
        if (typeof condition !== 'boolean') throw noSuchOverload();
        return (condition ? second : third)?.(evaluation) ?? null;
      };
    case '@not_strictly_false':
      return (evaluation) => notStrictlyFalse(first, evaluation);
    case '_?._': {
      const field = call.args[1]?.kind === 'literal' ? String(call.args[1].value) : '';
      return (evaluation) => {
        const operand = first?.(evaluation) ?? null;
        evaluation.charge(1);
        return optionalField(operand, field);
      };
    }
    case 'or':
    case 'orValue':
      if (target.length === 1) return orElse(call.name, args);
      break;
    default:
      break;
  }
  return planOverload(checked.overloadsOf(call), args);
}

/** Alternatives of an optional value are evaluated only if it is empty. */
function orElse(name: string, [first, second]: readonly Step[]): Step {
  return (evaluation) => {
    const value = first?.(evaluation) ?? null;
    if (!(value instanceof Optional)) throw noSuchOverload();
    evaluation.charge(1);
    if (value.value !== undefined) return name === 'or' ? value : value.value;
    return second?.(evaluation) ?? null;
  };
}

function planOverload(overloads: readonly Overload[], args: readonly Step[]): Step {
  const prepared = overloads.map(preparedCandidate);
  const findCandidate = (values: readonly Value[]): Candidate => {
    for (const candidate of prepared) if (candidate.fits(values)) return candidate;
    throw noSuchOverload();
  };
  return (evaluation) => {
    const values: Value[] = [];
    for (const arg of args) values.push(arg(evaluation));
    const candidate = findCandidate(values);
    // Charged before the call, so that no call computes more than its limit.
    evaluation.charge(candidate.callCost(values));
    const result = call(candidate.overload, values);
    evaluation.charge(candidate.resultCost(result));
    return result;
  };
}

/** @throws {CostLimitError} if the result is larger than a text or a list can be. */
function call(overload: Overload, values: readonly Value[]): Value {
  try {
    return overload.call(...values);
  } catch (error) {
    throw error instanceof RangeError ? new CostLimitError() : error;
  }
}

/** A side that decides the result hides an error of the other (CEL specification, "Logical operators"). */
function logical(args: readonly Step[], decisive: boolean): Step {
  return (evaluation) => {
    let failure: EvaluationError | undefined;
    for (const arg of args) {
      try {
        const value = arg(evaluation);
        if (value === decisive) return decisive;
        if (typeof value !== 'boolean') failure ??= noSuchOverload();
      } catch (error) {
        if (!(error instanceof EvaluationError) || error instanceof CostLimitError) throw error;
        failure ??= error;
      }
    }
    if (failure) throw failure;
    return !decisive;
  };
}

function notStrictlyFalse(step: Step | undefined, evaluation: Evaluation): boolean {
  try {
    return step?.(evaluation) !== false;
  } catch (error) {
    if (!(error instanceof EvaluationError) || error instanceof CostLimitError) throw error;
    return true;
  }
}

/** A failed step leaves its error in the accumulator, where the next step may replace it. */
function planFold(checked: Checked, expr: Comprehension): Step {
  const range = plan(checked, expr.range);
  const init = plan(checked, expr.init);
  const condition = plan(checked, expr.condition);
  const step = plan(checked, expr.step);
  const result = plan(checked, expr.result);
  const { accumulator, variable, variable2 } = expr;
  const names = [accumulator, variable, ...(variable2 === undefined ? [] : [variable2])];
  return (evaluation) => {
    const rangeValue = range(evaluation);
    const initial = attempt(init, evaluation);
    const outer = names.map((name) => [name, evaluation.peek(name)] as const);
    evaluation.set(accumulator, initial);
    const advance = (first: Value, second: Value): boolean => {
      evaluation.set(variable, first);
      if (variable2 !== undefined) evaluation.set(variable2, second);
      if (condition(evaluation) !== true) return false;
      evaluation.set(accumulator, attempt(step, evaluation));
      return true;
    };
    try {
      eachEntry(rangeValue, variable2 !== undefined, advance);
      for (const [name, value] of outer.slice(1)) evaluation.set(name, value);
      return result(evaluation);
    } finally {
      for (const [name, value] of outer) evaluation.set(name, value);
    }
  };
}

function attempt(step: Step, evaluation: Evaluation): Value | EvaluationError {
  try {
    return step(evaluation);
  } catch (error) {
    if (!(error instanceof EvaluationError) || error instanceof CostLimitError) throw error;
    return error;
  }
}

/** Calls `advance` with each item, or key and value, until it returns `false`. */
function eachEntry(range: Value, both: boolean, advance: (first: Value, second: Value) => boolean): void {
  if (range instanceof List) {
    let index = 0n;
    for (const item of range.items) if (!advance(both ? index++ : item, item)) return;
  } else if (range instanceof MapValue) {
    for (const [key, value] of range.entries.values()) if (!advance(key, value)) return;
  } else {
    throw noSuchOverload();
  }
}
