import * as z from 'zod';
import type { CelType } from '../cel/types.ts';
import { DYN } from '../cel/types.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import type { Declarations, Expression } from './expression.ts';
import { compileExpression } from './expression.ts';
import { labelSelector, matchCondition, operationRule } from './hook.ts';

const namedRule = operationRule.extend({ resourceNames: z.array(z.string()).nullish() });
export type NamedRule = z.infer<typeof namedRule>;

const list = <T extends z.ZodType>(
  item: T,
): z.ZodPipe<
  z.ZodOptional<z.ZodNullable<z.ZodArray<T>>>,
  z.ZodTransform<z.output<T>[], z.output<T>[] | null | undefined>
> =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);

const matchResources = z.looseObject({
  resourceRules: list(namedRule),
  excludeResourceRules: list(namedRule),
  matchPolicy: z.enum(['Exact', 'Equivalent']).default('Equivalent'),
  namespaceSelector: labelSelector.nullish(),
  objectSelector: labelSelector.nullish(),
});
export type MatchResources = z.infer<typeof matchResources>;

const policySpec = z.looseObject({
  failurePolicy: z.enum(['Fail', 'Ignore']).default('Fail'),
  paramKind: z.looseObject({ apiVersion: z.string(), kind: z.string() }).nullish(),
  matchConstraints: matchResources,
  matchConditions: list(matchCondition),
  variables: list(z.looseObject({ name: z.string(), expression: z.string() })),
  validations: list(
    z.looseObject({
      expression: z.string(),
      message: z.string().default(''),
      messageExpression: z.string().default(''),
      reason: z.string().nullish(),
    }),
  ),
  auditAnnotations: list(z.looseObject({ key: z.string(), valueExpression: z.string() })),
});

const bindingSpec = z.looseObject({
  policyName: z.string(),
  paramRef: z
    .looseObject({
      name: z.string().default(''),
      namespace: z.string().default(''),
      selector: labelSelector.nullish(),
      parameterNotFoundAction: z.string().nullish(),
    })
    .nullish(),
  matchResources: matchResources.nullish(),
  validationActions: z.array(z.string()),
});

/** A ValidatingAdmissionPolicyBinding. */
export interface PolicyBinding extends z.infer<typeof bindingSpec> {
  readonly name: string;
}

export interface Validation {
  readonly expression: Expression;
  readonly messageExpression: Expression | undefined;
  readonly message: string;
  readonly reason: string;
}

/** A ValidatingAdmissionPolicy with its bindings. */
export interface Policy {
  readonly name: string;
  readonly spec: z.infer<typeof policySpec>;
  readonly bindings: readonly PolicyBinding[];
  readonly matchConditions: readonly Expression[];
  readonly variables: readonly { readonly name: string; readonly expression: Expression }[];
  readonly validations: readonly Validation[];
  readonly auditAnnotations: readonly Expression[];
}

/** Results that the expression of an audit annotation may have. */
export const ANNOTATION_RESULTS = ['string', 'null'] as const;

/** Returns a policy with those of its bindings; `undefined` if it cannot be read. */
export function policyOf(object: ApiObject, bindings: readonly PolicyBinding[]): Policy | undefined {
  const parsed = policySpec.safeParse(object['spec']);
  if (!parsed.success) return undefined;
  const { name } = object.metadata;
  const spec = parsed.data;
  const params = Boolean(spec.paramKind);
  const { variables, type } = compileVariables(spec.variables, { params });
  const declarations: Declarations = { params, variables: type };
  return {
    name,
    spec,
    bindings: bindings.filter(({ policyName }) => policyName === name),
    variables,
    matchConditions: spec.matchConditions.map(({ expression }) =>
      compileExpression(expression, ['bool'], declarations),
    ),
    validations: spec.validations.map(({ expression, message, messageExpression, reason }) => ({
      expression: compileExpression(expression, ['bool'], declarations),
      messageExpression:
        messageExpression === ''
          ? undefined
          : compileExpression(messageExpression, ['string'], { ...declarations, authorizer: false }),
      message,
      reason: reason ?? 'Invalid',
    })),
    auditAnnotations: spec.auditAnnotations.map(({ valueExpression }) =>
      compileExpression(valueExpression.trim(), ANNOTATION_RESULTS, declarations),
    ),
  };
}

/** Compiles the variables of a policy. Each one sees those before it. */
export function compileVariables(
  variables: readonly { readonly name: string; readonly expression: string }[],
  declarations: Declarations,
): { readonly variables: { readonly name: string; readonly expression: Expression }[]; readonly type: CelType } {
  const fields = new Map<string, CelType>();
  const type: CelType = { kind: 'object', name: 'kubernetes.variables', params: [], fields };
  const compiled = variables.map(({ name, expression: text }) => {
    const expression = compileExpression(text, [], { ...declarations, variables: type });
    fields.set(name, expression.compiled?.type ?? DYN);
    return { name, expression };
  });
  return { variables: compiled, type };
}

export function bindingOf({ metadata: { name }, ...object }: ApiObject): PolicyBinding | undefined {
  const parsed = bindingSpec.safeParse(object['spec']);
  return parsed.success ? { ...parsed.data, name } : undefined;
}
