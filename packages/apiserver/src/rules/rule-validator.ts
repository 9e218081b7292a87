import { declaredType } from '../cel/declared-type.ts';
import type { Outcome } from '../cel/evaluator.ts';
import { valueOfJson } from '../cel/json-value.ts';
import type { Value } from '../cel/values.ts';
import { CostLimitError, EvaluationError, NoSuchOverloadError, Optional } from '../cel/values.ts';
import type { JsonSchema, ValidationRule } from '../definitions/json-schema.ts';
import type { Before } from '../schema/correlation.ts';
import { fieldBefore, itemBefore } from '../schema/correlation.ts';
import type { Schema } from '../schema/schema.ts';
import { additionalSchema, fieldSchema } from '../schema/schema.ts';
import { isUnchanged } from '../schema/unchanged.ts';
import type { FieldError } from '../status.ts';
import { forbiddenField, requiredField } from '../status.ts';
import type { Paused } from '../turn.ts';
import { Turn } from '../turn.ts';
import type { CompiledRule } from './compiled-rule.ts';
import { compileRule } from './compiled-rule.ts';

/** Limits of the cost of one evaluation, and of all rules of an object. */
const CALL_LIMIT = 1_000_000;
const BUDGET = 10_000_000;

/** Largest message that an expression makes, in bytes. */
const MESSAGE_LIMIT = 5 * 1024;

export interface Judged {
  readonly value: unknown;
  /** The value before an update. */
  readonly before: Before | undefined;
  readonly path: string;
  /** Whether the value is an object with metadata. */
  readonly isResource: boolean;
  readonly warn?: ((text: string) => void) | undefined;
}

/** The rules of a schema and the schemas within it; `undefined` if there are none. */
interface RuleTree {
  readonly schema: Schema;
  readonly isResource: boolean;
  readonly rules: readonly CompiledRule[];
  readonly items: RuleTree | undefined;
  readonly additional: RuleTree | undefined;
  readonly properties: ReadonlyMap<string, RuleTree>;
}

const trees = new WeakMap<Schema, RuleTree | { readonly none: true }>();

function treeOf(schema: Schema, isResource: boolean): RuleTree | undefined {
  const known = trees.get(schema);
  if (known) return 'none' in known ? undefined : known;
  const tree = plantTree(schema, isResource);
  trees.set(schema, tree ?? { none: true });
  return tree;
}

/** Compiles the rules of a schema. */
function plantTree(schema: Schema, isResource: boolean): RuleTree | undefined {
  const child = (part: Schema | undefined): RuleTree | undefined =>
    part && plantTree(part, part['x-kubernetes-embedded-resource'] === true);
  const properties = new Map<string, RuleTree>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const tree = child(property);
    if (tree) properties.set(name, tree);
  }
  const items = child(schema.items);
  const additional = child(additionalSchema(schema));
  const own = (schema as JsonSchema)['x-kubernetes-validations'] ?? [];
  const type = own.length > 0 ? declaredType(schema, isResource) : undefined;
  const rules = type ? own.map((rule) => compileRule(rule, type, schema as JsonSchema)) : [];
  if (rules.length === 0 && !items && !additional && properties.size === 0) return undefined;
  return { schema, isResource, rules, items, additional, properties };
}

/**
 * Returns the violations of the rules of a schema. Pauses between two rules or items. Messages follow
 * `pkg/apiserver/schema/cel` of apiextensions-apiserver.
 */
export function* ruleViolations(schema: Schema, judged: Judged): Paused<FieldError[]> {
  const tree = treeOf(schema, judged.isResource);
  if (!tree) return [];
  const judgement = new Judgement(judged.warn);
  yield* judgement.judge(tree, judged.value, { path: judged.path, before: judged.before, unchanged: false });
  return judgement.errors;
}

interface Place {
  readonly path: string;
  readonly before: Before | undefined;
  /** Whether a part of the object that contains the value is unchanged. */
  readonly unchanged: boolean;
}

/** Judges one object. */
class Judgement {
  readonly errors: FieldError[] = [];
  readonly #warn: ((text: string) => void) | undefined;
  #budget = BUDGET;
  readonly #turn = new Turn();

  constructor(warn: ((text: string) => void) | undefined) {
    this.#warn = warn;
  }

  *judge(tree: RuleTree, value: unknown, place: Place): Paused<void> {
    if (value === null || value === undefined || this.#budget < 0) return;
    const { before: old } = place;
    const unchanged =
      place.unchanged || (old !== undefined && (yield* isUnchanged(tree.schema, value, old.value, this.#turn)));
    yield* this.#evaluate(tree, value, { ...place, unchanged });
    if (this.#budget < 0) return;
    const { path, before } = place;
    if (Array.isArray(value)) {
      const { items, schema } = tree;
      if (!items) return;
      for (const [index, item] of value.entries()) {
        if (this.#turn.step()) yield* this.#turn.pause();
        const at = { path: `${path}[${index}]`, before: itemBefore(schema, item, before), unchanged };
        yield* this.judge(items, item, at);
      }
    } else if (typeof value === 'object') {
      for (const field of Object.keys(value)) {
        if (this.#turn.step()) yield* this.#turn.pause();
        const child = (value as Readonly<Record<string, unknown>>)[field];
        const property = tree.properties.get(field);
        const part =
          property ?? (fieldSchema(tree.schema, field) === tree.additional?.schema ? tree.additional : undefined);
        if (!part) continue;
        const dotted = path === '' ? field : `${path}.${field}`;
        const at = property ? dotted : `${path}[${field}]`;
        yield* this.judge(part, child, { path: at, before: fieldBefore(field, path, before), unchanged });
      }
    }
  }

  *#evaluate({ rules, schema, isResource }: RuleTree, value: unknown, place: Place): Paused<void> {
    if (rules.length === 0) return;
    const type = schema.type ?? '';
    const at = place.path === '' ? '<nil>' : place.path;
    const fail = (detail: string, end: boolean): void => {
      this.errors.push(invalid(at, JSON.stringify(type), detail));
      if (end) this.#budget = -1;
    };
    if (this.#budget === 0) {
      fail('validation failed due to running out of cost budget, no further validation rules will be run', true);
      return;
    }
    yield* this.#pause();
    let self: Value;
    try {
      self = valueOfJson(value, schema, isResource);
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      // Upstream converts the value when a rule reads it.
      for (const { rule } of rules) fail(failureText(error, rule), false);
      return;
    }
    const { oldSelf, oldFault } = oldValue(place.before?.value, schema, isResource);
    for (const compiled of rules) {
      const { rule, condition, conditionError, usesOldSelf } = compiled;
      const { optionalOldSelf = false } = rule;
      if (!condition) {
        fail(`rule compile error: ${conditionError ?? ''}`, false);
        continue;
      }
      if (usesOldSelf && oldFault) {
        fail(failureText(oldFault, rule), false);
        continue;
      }
      // Rules of transitions need a value before.
      if (usesOldSelf && oldSelf === undefined && !optionalOldSelf) continue;
      yield* this.#pause();
      const variables = { self, ...oldVariables(oldSelf, optionalOldSelf) };
      const outcome = condition.evaluate(variables, CALL_LIMIT);
      if (outcome.cost > this.#budget) {
        fail('validation failed due to running out of cost budget, no further validation rules will be run', true);
        return;
      }
      this.#budget -= outcome.cost;
      if (outcome.error) {
        const cut = outcome.error instanceof CostLimitError;
        fail(failureText(outcome.error, rule), cut);
        if (cut) return;
        continue;
      }
      if (outcome.value === true) continue;
      this.#report(compiled, value, { ...place, path: place.path }, compiled.message?.evaluate(variables, CALL_LIMIT));
      if (this.#budget < 0) return;
    }
  }

  *#pause(): Paused<void> {
    if (!this.#turn.isOver) return;
    yield* this.#turn.pause();
  }

  #report(
    { rule, usesOldSelf, fieldPath }: CompiledRule,
    value: unknown,
    place: Place,
    message: Outcome | undefined,
  ): void {
    const { path } = place;
    const joined = fieldPath.startsWith('[') || path === '' ? path + fieldPath : `${path}.${fieldPath}`;
    const at = (fieldPath === '' ? path : joined) || '<nil>';
    if (message) this.#budget -= message.cost;
    const detail = (message && messageOf(message)) ?? defaultMessage(rule);
    const error = ruleError(at, value, detail, rule.reason);
    if (!usesOldSelf && place.unchanged) this.#warn?.(`${error.field}: ${error.message}`);
    else this.errors.push(error);
  }
}

/** Returns the value before a change, or why a rule cannot read it. */
function oldValue(
  value: unknown,
  schema: Schema,
  isResource: boolean,
): { readonly oldSelf?: Value; readonly oldFault?: EvaluationError } {
  if (value === undefined || value === null) return {};
  try {
    return { oldSelf: valueOfJson(value, schema, isResource) };
  } catch (error) {
    if (error instanceof EvaluationError) return { oldFault: error };
    throw error;
  }
}

function oldVariables(oldSelf: Value | undefined, optional: boolean): Readonly<Record<string, Value>> {
  if (optional) return { oldSelf: new Optional(oldSelf) };
  return oldSelf === undefined ? {} : { oldSelf };
}

function failureText(error: EvaluationError, rule: ValidationRule): string {
  const { message } = error;
  const text = ruleText(rule);
  if (error instanceof NoSuchOverloadError) {
    return `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${text}`;
  }
  if (error instanceof CostLimitError) {
    return `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${text}`;
  }
  return `${message} evaluating rule: ${text}`;
}

function ruleText({ rule = '', message = '' }: ValidationRule): string {
  return (message === '' ? rule : message).trim();
}

function defaultMessage(rule: ValidationRule): string {
  return rule.message ? rule.message.trim() : `failed rule: ${ruleText(rule)}`;
}

/** Returns the message that an expression made; `undefined` if it is not usable. */
function messageOf({ value }: Outcome): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text === '' || text.includes('\n') || Buffer.byteLength(text) > MESSAGE_LIMIT ? undefined : text;
}

function ruleError(field: string, value: unknown, detail: string, reason: string | undefined): FieldError {
  const shown = typeof value === 'object' ? undefined : JSON.stringify(value);
  switch (reason) {
    case 'FieldValueForbidden':
      return forbiddenField(field, detail);
    case 'FieldValueRequired':
      return requiredField(field, detail);
    case 'FieldValueDuplicate':
      return {
        reason: 'FieldValueDuplicate',
        field,
        message: shown === undefined ? 'Duplicate value' : `Duplicate value: ${shown}`,
      };
    default:
      return invalid(field, shown, detail);
  }
}

function invalid(field: string, shown: string | undefined, detail: string): FieldError {
  const value = shown === undefined ? '' : `${shown}: `;
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${value}${detail}` };
}
