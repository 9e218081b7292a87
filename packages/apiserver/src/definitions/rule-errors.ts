import type { CelType } from '../cel/types.ts';
import { declaredType, REQUEST_LIMIT } from '../cel/declared-type.ts';
import type { CompiledRule } from '../rules/compiled-rule.ts';
import { compileRule } from '../rules/compiled-rule.ts';
import { ruleViolations } from '../rules/rule-validator.ts';
import type { Before } from '../schema/correlation.ts';
import type { Schema } from '../schema/schema.ts';
import type { FieldError } from '../status.ts';
import { forbiddenField, invalidField } from '../status.ts';
import { complete } from '../turn.ts';
import { goJson, internalRule } from './go-json.ts';
import type { JsonSchema } from './json-schema.ts';
import { additionalOf, itemsOf, propertiesOf } from './json-schema.ts';

/** Limits of the estimated cost of one rule, and of all rules of a schema. */
const RULE_LIMIT = 10_000_000;
const TOTAL_LIMIT = 100_000_000;

/** Number of rules that an error about the total names. */
const MOST_EXPENSIVE = 4;

const HINT =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';

interface Place {
  readonly path: string;
  /** Largest number of values of the schema in an object; `undefined` if nothing limits it. */
  readonly cardinality: number | undefined;
  /** Path of the list whose items have no identity between updates. */
  readonly uncorrelated: string | undefined;
  readonly isResource: boolean;
  /** Kind of the schemas around this one. */
  readonly around: 'no rules' | 'rules' | 'an unknown type';
}

/** Costs of the rules of a schema. */
class Costs {
  readonly #suppressed: boolean;
  #total = 0;
  readonly #expensive: { readonly path: string; readonly cost: number }[] = [];

  constructor(suppressed: boolean) {
    this.#suppressed = suppressed;
  }

  observe(path: string, name: string, cost: number): FieldError[] {
    this.#total += cost;
    if (cost >= TOTAL_LIMIT / 100) this.#expensive.push({ path, cost });
    return cost > RULE_LIMIT && !this.#suppressed ? [forbiddenField(path, costText(name, cost, RULE_LIMIT))] : [];
  }

  totalErrors(path: string): FieldError[] {
    if (this.#total <= TOTAL_LIMIT) return [];
    const detail = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    const sorted = this.#expensive.toSorted((a, b) => b.cost - a.cost).slice(0, MOST_EXPENSIVE);
    return [
      ...sorted.map((rule) => forbiddenField(rule.path, detail)),
      forbiddenField(path, costText(name, this.#total, TOTAL_LIMIT)),
    ];
  }
}

/**
 * Compiles the rules of a schema and returns their errors, with those about their costs.
 *
 * @param options.unchanged whether an update keeps the schema, so that the cost of its rules is tolerated.
 */
export function ruleErrors(schema: JsonSchema, path: string, options: RuleOptions): FieldError[] {
  const costs = new Costs(options.unchanged);
  const place = { path, cardinality: 1, uncorrelated: undefined, isResource: true, around: 'no rules' } as const;
  const errors = errorsWithin(schema, place, costs, options);
  return options.isFaulty(path) ? errors : [...errors, ...costs.totalErrors(path)];
}

interface RuleOptions {
  readonly unchanged: boolean;
  /** Reports whether a schema at a path, or one within it, has errors. Its own rules are not compiled then. */
  readonly isFaulty: (path: string) => boolean;
}

function errorsWithin(schema: JsonSchema, place: Place, costs: Costs, options: RuleOptions): FieldError[] {
  const { path, cardinality } = place;
  const around = surroundings(schema, place);
  const factor = growth(schema);
  const within = cardinality === undefined || factor === undefined ? undefined : cardinality * factor;
  const child = (part: JsonSchema, at: string, uncorrelated = place.uncorrelated): FieldError[] => {
    const isResource = part['x-kubernetes-embedded-resource'] === true;
    const inside = { path: `${path}.${at}`, cardinality: within, uncorrelated, isResource, around };
    return errorsWithin(part, inside, costs, options);
  };
  const errors: FieldError[] = [];
  const additional = additionalOf(schema);
  if (additional) errors.push(...child(additional, 'additionalProperties'));
  for (const [name, property] of propertiesOf(schema)) errors.push(...child(property, `properties[${name}]`));
  const items = itemsOf(schema);
  const correlated = schema['x-kubernetes-list-type'] === 'map';
  if (items) errors.push(...child(items, 'items', place.uncorrelated ?? (correlated ? undefined : path)));
  return options.isFaulty(path) ? errors : [...errors, ...ownErrors(schema, place, costs)];
}

/** Returns what the schemas within a schema have around them. */
function surroundings(schema: JsonSchema, { around }: Place): Place['around'] {
  const hasRules = (schema['x-kubernetes-validations'] ?? []).length > 0;
  if (around === 'an unknown type' || (around === 'no rules' && !hasRules)) return around;
  return isDeclared(schema) ? 'rules' : 'an unknown type';
}

/** Reports whether expressions have a type for the values of a schema. */
function isDeclared(schema: JsonSchema): boolean {
  if (schema['x-kubernetes-int-or-string']) return true;
  switch (schema.type) {
    case 'array': {
      const items = itemsOf(schema);
      return items !== undefined && isDeclared(items);
    }
    case 'object': {
      const additional = additionalOf(schema);
      return additional === undefined || isDeclared(additional);
    }
    case 'boolean':
    case 'integer':
    case 'number':
    case 'string':
      return true;
    default:
      return false;
  }
}

/** Returns how many values a schema has for each value of its own; `undefined` if nothing limits them. */
function growth(schema: JsonSchema): number | undefined {
  if (schema.type === 'array') return schema.maxItems;
  return schema.type === 'object' && schema.additionalProperties !== undefined ? schema.maxProperties : 1;
}

function ownErrors(schema: JsonSchema, place: Place, costs: Costs): FieldError[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  if (rules.length === 0) return [];
  const at = `${place.path}.x-kubernetes-validations`;
  // The types of the fields were checked when the definition was decoded.
  const type = place.around === 'an unknown type' ? undefined : declaredType(schema as Schema, place.isResource);
  if (!type) {
    const detail =
      'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';
    return [{ reason: 'InternalError', field: at, message: `Internal error: ${detail}` }];
  }
  return rules.flatMap((rule, index) => {
    const compiled = compileRule(rule, type, schema);
    return compiledErrors(compiled, { ...place, path: `${at}[${index}]` }, type, costs);
  });
}

function compiledErrors(compiled: CompiledRule, place: Place, type: CelType, costs: Costs): FieldError[] {
  const { path, uncorrelated } = place;
  const { rule, condition, conditionError, message, messageError, usesOldSelf } = compiled;
  const count = place.cardinality ?? Math.floor(REQUEST_LIMIT / ((type.minSize ?? 0) + 1));
  const broken = (field: string, detail: string): FieldError => ({
    reason: 'FieldValueInvalid',
    field: `${path}.${field}`,
    message: `Invalid value: ${goJson(internalRule(rule))}: ${detail}`,
  });
  const errors = costs.observe(`${path}.rule`, 'estimated rule cost', (condition?.maxCost() ?? 0) * count);
  if (conditionError !== undefined) errors.push(broken('rule', conditionError));
  if (messageError !== undefined) errors.push(broken('messageExpression', messageError));
  else if (message) {
    errors.push(...costs.observe(`${path}.messageExpression`, 'estimated messageExpression cost', message.maxCost()));
  }
  if (usesOldSelf && uncorrelated !== undefined) {
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
    errors.push(invalidField(`${path}.rule`, rule.rule ?? '', detail));
  } else if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
    const detail = 'may not be set if oldSelf is not used in rule';
    errors.push(invalidField(`${path}.optionalOldSelf`, rule.optionalOldSelf, detail));
  }
  return errors;
}

function costText(name: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const text = factor > 100 ? 'more than 100x' : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  return `${name} exceeds budget by factor of ${text} ${HINT}`;
}

/** Returns the violations of the rules of a schema in its default, as an update that keeps it and as a create. */
export function ruleErrorsOfDefault(schema: JsonSchema, value: unknown, path: string): FieldError[] {
  const structural = schema as Schema;
  const isResource = schema['x-kubernetes-embedded-resource'] === true;
  const violations = (before: Before | undefined): FieldError[] =>
    complete(ruleViolations(structural, { value, before, path, isResource }));
  const kept = violations({ value });
  return kept.length > 0 ? kept : violations(undefined);
}
