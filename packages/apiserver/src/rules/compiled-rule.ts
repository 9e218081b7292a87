import type { Compiled } from '../cel/compile.ts';
import { compile } from '../cel/compile.ts';
import { kubernetesFunctions } from '../cel/kubernetes.ts';
import type { CelType } from '../cel/types.ts';
import { optionalOf, typeText } from '../cel/types.ts';
import { findField } from '../definitions/field-path.ts';
import type { JsonSchema, ValidationRule } from '../definitions/json-schema.ts';

/** A rule of `x-kubernetes-validations`, compiled for the type of its schema. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Absent if the rule does not compile. */
  readonly condition: Compiled | undefined;
  readonly conditionError: string | undefined;
  readonly message: Compiled | undefined;
  readonly messageError: string | undefined;
  readonly usesOldSelf: boolean;
  /** Field that an error names, relative to the value. */
  readonly fieldPath: string;
}

/** Compiles a rule. @param type type of the values that the rule judges. */
export function compileRule(rule: ValidationRule, type: CelType, schema: JsonSchema): CompiledRule {
  const { rule: text = '', messageExpression = '', optionalOldSelf, fieldPath = '' } = rule;
  const oldSelf = optionalOldSelf ? optionalOf(type) : type;
  const environment = { variables: { self: type, oldSelf }, functions: kubernetesFunctions };
  const condition = compile(text, environment);
  const conditionError = condition.compiled
    ? typeText(condition.compiled.type) === 'bool'
      ? instantiation(condition.compiled)
      : 'cel expression must evaluate to a bool'
    : `compilation failed: ${condition.error}`;
  const valid = conditionError === undefined;
  const message = valid && messageExpression !== '' ? compile(messageExpression, environment) : undefined;
  const messageError =
    message?.error === undefined ? undefined : `messageExpression compilation failed: ${message.error}`;
  const mistyped = message?.compiled && typeText(message.compiled.type) !== 'string';
  return {
    rule,
    condition: valid ? condition.compiled : undefined,
    conditionError,
    message: mistyped ? undefined : message?.compiled,
    messageError: mistyped ? 'messageExpression must evaluate to a string' : messageError,
    usesOldSelf: valid && (condition.compiled?.variables.has('oldSelf') ?? false),
    fieldPath: pathOf(fieldPath, schema),
  };
}

function instantiation({ instantiationError }: Compiled): string | undefined {
  return instantiationError === undefined ? undefined : `program instantiation failed: ${instantiationError}`;
}

function pathOf(fieldPath: string, schema: JsonSchema): string {
  if (fieldPath === '') return '';
  try {
    return findField(fieldPath, schema).text;
  } catch {
    return '';
  }
}
