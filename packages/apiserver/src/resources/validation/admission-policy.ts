import { isDeepStrictEqual } from 'node:util';
import type { Declarations } from '../../admission/expression.ts';
import { compileExpression } from '../../admission/expression.ts';
import { ANNOTATION_RESULTS, compileVariables } from '../../admission/policy.ts';
import type { TypeKind } from '../../cel/types.ts';
import type { FieldError } from '../../status.ts';
import { duplicateField, forbiddenField, invalidField, requiredField, unsupportedField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { dns1035LabelErrors, nameErrors, qualifiedNameErrors, subdomainErrors } from '../names.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { isRepeated, operationRuleErrors, requiredOneOf } from './admission-rules.ts';
import { matchConditionErrors } from './match-conditions.ts';
import { at, isEmpty, oneOf } from './rules.ts';
import { selectorErrors } from './selector.ts';

const FAILURE_POLICIES = ['Fail', 'Ignore'];
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const ACTIONS = ['Audit', 'Deny', 'Warn'];
const ANNOTATIONS_LIMIT = 20;
const ANNOTATION_LENGTH_LIMIT = 5 * 1024;

/** Validates a ValidatingAdmissionPolicy (upstream: `pkg/apis/admissionregistration/validation`). */
export function policyErrors({ object, previous }: Change): FieldError[] {
  const spec = object['spec'];
  const params = !isEmpty(valueAt(spec, 'paramKind'));
  const before = previous?.['spec'];
  const keepsConditions =
    before !== undefined &&
    ['paramKind', 'matchConditions'].every((field) => isDeepStrictEqual(valueAt(spec, field), valueAt(before, field)));
  const variables = listAt(spec, 'variables').map((variable) => ({
    name: textAt(variable, 'name'),
    expression: textAt(variable, 'expression'),
  }));
  const compiled = compileVariables(variables, { params });
  const declarations: Declarations = { params, ...(variables.length > 0 && { variables: compiled.type }) };
  const constraints = valueAt(spec, 'matchConstraints');
  return [
    ...requiredOneOf(at(spec, 'spec', 'failurePolicy'), FAILURE_POLICIES),
    ...(params ? paramKindErrors(valueAt(spec, 'paramKind'), 'spec.paramKind') : []),
    ...(constraints === undefined
      ? [requiredField('spec.matchConstraints', '')]
      : [
          ...matchResourcesErrors(constraints, 'spec.matchConstraints'),
          ...(listAt(constraints, 'resourceRules').length === 0
            ? [requiredField('spec.matchConstraints.resourceRules', '')]
            : []),
        ]),
    ...(keepsConditions ? [] : matchConditionErrors(spec, 'spec.matchConditions', { params })),
    ...compiled.variables.flatMap(({ name, expression: { text, error } }, index) =>
      variableErrors(name, text, error, `spec.variables[${index}]`),
    ),
    ...contentErrors(spec, object.metadata.name, declarations),
  ];
}

const textAt = (value: unknown, field: string): string => scalarText(valueAt(value, field));

function variableErrors(name: string, text: string, error: string | undefined, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (name.trim() === '') errors.push(requiredField(`${path}.name`, 'name is not specified'));
  else if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name)) {
    errors.push(invalidField(`${path}.name`, name, 'must be a valid CEL identifier'));
  }
  if (text.trim() === '') errors.push(requiredField(`${path}.expression`, 'expression is not specified'));
  else if (error !== undefined) errors.push(invalidField(`${path}.expression`, text, error));
  return errors;
}

function contentErrors(spec: unknown, name: string, declarations: Declarations): FieldError[] {
  const validations = listAt(spec, 'validations');
  const annotations = listAt(spec, 'auditAnnotations');
  if (validations.length === 0 && annotations.length === 0) {
    const detail = 'validations or auditAnnotations must contain at least one item';
    return [requiredField('spec.validations', detail), requiredField('spec.auditAnnotations', detail)];
  }
  const errors = validations.flatMap((validation, index) =>
    validationErrors(validation, `spec.validations[${index}]`, declarations),
  );
  if (annotations.length > ANNOTATIONS_LIMIT) {
    const detail = `must not have more than ${ANNOTATIONS_LIMIT} auditAnnotations`;
    errors.push(invalidField('spec.auditAnnotations', annotations, detail));
  }
  annotations.forEach((annotation, index) => {
    const path = `spec.auditAnnotations[${index}]`;
    errors.push(...annotationErrors(annotation, path, name, declarations));
    if (isRepeated(annotations, index, 'key')) errors.push(duplicateField(`${path}.key`, valueAt(annotation, 'key')));
  });
  return errors;
}

function validationErrors(validation: unknown, path: string, declarations: Declarations): FieldError[] {
  const errors: FieldError[] = [];
  const expression = textAt(validation, 'expression');
  if (expression.trim() === '') errors.push(requiredField(`${path}.expression`, 'expression is not specified'));
  else errors.push(...compilationErrors(expression, ['bool'], declarations, `${path}.expression`));
  const messageExpression = textAt(validation, 'messageExpression');
  const field = `${path}.messageExpression`;
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(invalidField(field, messageExpression, 'must be non-empty if specified'));
  } else if (messageExpression !== '') {
    errors.push(...compilationErrors(messageExpression, ['string'], { ...declarations, authorizer: false }, field));
  }
  const message = textAt(validation, 'message');
  if (message !== '' && message.trim() === '') {
    errors.push(invalidField(`${path}.message`, message, 'must be non-empty if specified'));
  } else if (/[\n\r]/.test(message.trim())) {
    errors.push(invalidField(`${path}.message`, message, 'must not contain line breaks'));
  }
  return [...errors, ...oneOf(at(validation, path, 'reason'), REASONS)];
}

function annotationErrors(annotation: unknown, path: string, name: string, declarations: Declarations): FieldError[] {
  const key = `${name}/${textAt(annotation, 'key')}`;
  const errors = qualifiedNameErrors(key).map((detail) => invalidField(`${path}.key`, key, detail));
  const field = `${path}.valueExpression`;
  const text = textAt(annotation, 'valueExpression').trim();
  if (text === '') return [...errors, requiredField(field, 'valueExpression is not specified')];
  if (text.length > ANNOTATION_LENGTH_LIMIT) {
    return [...errors, requiredField(field, `must not exceed ${ANNOTATION_LENGTH_LIMIT} bytes in length`)];
  }
  return [...errors, ...compilationErrors(text, ANNOTATION_RESULTS, declarations, field)];
}

function compilationErrors(
  text: string,
  results: readonly TypeKind[],
  declarations: Declarations,
  field: string,
): FieldError[] {
  const { error } = compileExpression(text, results, declarations);
  return error === undefined ? [] : [invalidField(field, text, error)];
}

function paramKindErrors(paramKind: unknown, path: string): FieldError[] {
  const apiVersion = textAt(paramKind, 'apiVersion');
  const kind = textAt(paramKind, 'kind');
  const errors: FieldError[] = [];
  const [first = '', second, ...more] = apiVersion.split('/');
  const [group, version] = second === undefined ? ['', first] : [first, second];
  const field = `${path}.apiVersion`;
  if (apiVersion === '') errors.push(requiredField(field, ''));
  else if (more.length > 0) {
    errors.push(invalidField(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  } else {
    const details = group === '' ? [] : subdomainErrors(group);
    if (details.length > 0) errors.push(invalidField(field, group, details.join(',')));
    const versionDetails = dns1035LabelErrors(version);
    if (version === '') errors.push(invalidField(field, apiVersion, 'version must be specified'));
    else if (versionDetails.length > 0) errors.push(invalidField(field, version, versionDetails.join(',')));
  }
  const details = dns1035LabelErrors(kind.toLowerCase());
  if (kind === '') errors.push(requiredField(`${path}.kind`, ''));
  else if (details.length > 0) {
    const detail = `may have mixed case, but should otherwise match: ${details.join(',')}`;
    errors.push(invalidField(`${path}.kind`, kind, detail));
  }
  return errors;
}

function matchResourcesErrors(resources: unknown, path: string): FieldError[] {
  const rules = (field: string): FieldError[] =>
    listAt(resources, field).flatMap((rule, index) => namedRuleErrors(rule, `${path}.${field}[${index}]`));
  const selector = (field: string): FieldError[] =>
    valueAt(resources, field) === undefined
      ? [requiredField(`${path}.${field}`, '')]
      : selectorErrors(at(resources, path, field));
  return [
    ...requiredOneOf(at(resources, path, 'matchPolicy'), ['Equivalent', 'Exact']),
    ...selector('namespaceSelector'),
    ...selector('objectSelector'),
    ...rules('resourceRules'),
    ...rules('excludeResourceRules'),
  ];
}

function namedRuleErrors(rule: unknown, path: string): FieldError[] {
  const names = listAt(rule, 'resourceNames').map(scalarText);
  const errors = names.flatMap((name, index) => {
    const place = `${path}.resourceNames[${index}]`;
    return [
      ...nameErrors('path segment', name).map((detail) => invalidField(place, name, detail)),
      ...(names.indexOf(name) < index ? [duplicateField(place, name)] : []),
    ];
  });
  return [...errors, ...operationRuleErrors(rule, path)];
}

/** Validates a ValidatingAdmissionPolicyBinding. */
export function policyBindingErrors({ object }: Change): FieldError[] {
  const spec = object['spec'];
  const policyName = textAt(spec, 'policyName');
  const matchResources = valueAt(spec, 'matchResources');
  return [
    ...(policyName === ''
      ? [requiredField('spec.policyName', '')]
      : subdomainErrors(policyName).map((detail) => invalidField('spec.policyName', policyName, detail))),
    ...paramRefErrors(valueAt(spec, 'paramRef'), 'spec.paramRef'),
    ...(matchResources === undefined ? [] : matchResourcesErrors(matchResources, 'spec.matchResources')),
    ...actionErrors(listAt(spec, 'validationActions').map(scalarText), 'spec.validationActions'),
  ];
}

function paramRefErrors(paramRef: unknown, path: string): FieldError[] {
  if (paramRef === undefined) return [];
  const name = textAt(paramRef, 'name');
  const selector = valueAt(paramRef, 'selector');
  const errors: FieldError[] = [];
  const exclusive = 'name and selector are mutually exclusive';
  if (name !== '') {
    errors.push(...nameErrors('path segment', name).map((detail) => invalidField(`${path}.name`, name, detail)));
    if (selector !== undefined) errors.push(forbiddenField(`${path}.name`, exclusive));
  }
  errors.push(...selectorErrors([`${path}.selector`, selector]));
  if (selector !== undefined && name !== '') errors.push(forbiddenField(`${path}.selector`, exclusive));
  if (selector === undefined && name === '') {
    errors.push(requiredField(path, 'one of name or selector must be specified'));
  }
  return [...errors, ...requiredOneOf(at(paramRef, path, 'parameterNotFoundAction'), ['Deny', 'Allow'])];
}

function actionErrors(actions: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  actions.forEach((action, index) => {
    if (!ACTIONS.includes(action)) errors.push(unsupportedField(`${path}[${index}]`, action, ACTIONS));
    if (actions.indexOf(action) < index) errors.push(duplicateField(`${path}[${index}]`, action));
  });
  if (actions.includes('Deny') && actions.includes('Warn')) {
    const why = 'repeating the same validation failure information in the API response and headers serves no purpose';
    errors.push(invalidField(path, actions, `must not contain both Deny and Warn (${why})`));
  }
  if (actions.length === 0) errors.push(requiredField(path, 'at least one validation action is required'));
  return errors;
}
