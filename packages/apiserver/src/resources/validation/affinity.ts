import type { FieldError } from '../../status.ts';
import { forbiddenField, invalidField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { dnsLabelErrors, labelValueErrors, qualifiedNameErrors, subdomainErrors } from '../names.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { labelKeysErrors } from './label-keys.ts';
import { at, required } from './rules.ts';
import { selectorErrors } from './selector.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Validates the affinity of a Pod (upstream: `validateAffinity`). */
export function affinityErrors([field, affinity]: readonly [string, unknown]): FieldError[] {
  return [
    ...nodeAffinityErrors(...at(affinity, field, 'nodeAffinity')),
    ...podAffinityErrors(...at(affinity, field, 'podAffinity')),
    ...podAffinityErrors(...at(affinity, field, 'podAntiAffinity')),
  ];
}

function nodeAffinityErrors(field: string, affinity: unknown): FieldError[] {
  const selector = valueAt(affinity, REQUIRED);
  return [
    ...(selector === undefined ? [] : nodeSelectorErrors(`${field}.${REQUIRED}`, selector)),
    ...listAt(affinity, PREFERRED).flatMap((term, index) => {
      const path = `${field}.${PREFERRED}[${index}]`;
      // Values that are not labels were accepted once.
      const preference = nodeTermErrors(...at(term, path, 'preference'), { areValuesLabels: false });
      return [...weightErrors(path, term), ...preference];
    }),
  ];
}

/** Validates which Nodes are selected (upstream: `ValidateNodeSelector`). */
export function nodeSelectorErrors(field: string, selector: unknown): FieldError[] {
  const terms = listAt(selector, 'nodeSelectorTerms');
  const place = `${field}.nodeSelectorTerms`;
  if (terms.length === 0) return [requiredField(place, 'must have at least one node selector term')];
  return terms.flatMap((term, index) => nodeTermErrors(`${place}[${index}]`, term, { areValuesLabels: true }));
}

function weightErrors(path: string, term: unknown): FieldError[] {
  const weight = Number(valueAt(term, 'weight') ?? 0);
  return weight > 0 && weight <= 100 ? [] : [invalidField(`${path}.weight`, weight, 'must be in the range 1-100')];
}

function nodeTermErrors(
  path: string,
  term: unknown,
  { areValuesLabels }: { readonly areValuesLabels: boolean },
): FieldError[] {
  const expressions = listAt(term, 'matchExpressions').flatMap((expression, index) => {
    const field = `${path}.matchExpressions[${index}]`;
    const values = areValuesLabels ? valueErrors(field, expression, labelValueErrors) : [];
    return [...nodeOperatorErrors(field, expression), ...labelNameErrors(...at(expression, field, 'key')), ...values];
  });
  const fields = listAt(term, 'matchFields').flatMap((expression, index) =>
    nodeFieldErrors(`${path}.matchFields[${index}]`, expression),
  );
  return [...expressions, ...fields];
}

/** Validates the name of a label, which must not be empty. */
function labelNameErrors(field: string, name: unknown): FieldError[] {
  return qualifiedNameErrors(scalarText(name)).map((detail) => invalidField(field, name ?? '', detail));
}

function nodeOperatorErrors(field: string, expression: unknown): FieldError[] {
  const count = listAt(expression, 'values').length;
  const operator = scalarText(valueAt(expression, 'operator'));
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (count > 0) return [];
      return [requiredField(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (count === 0) return [];
      return [forbiddenField(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case 'Gt':
    case 'Lt':
      if (count === 1) return [];
      return [requiredField(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalidField(`${field}.operator`, operator, 'not a valid selector operator')];
  }
}

function nodeFieldErrors(field: string, expression: unknown): FieldError[] {
  const operator = scalarText(valueAt(expression, 'operator'));
  const key = scalarText(valueAt(expression, 'key'));
  const isList = operator === 'In' || operator === 'NotIn';
  const single = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
  const count = listAt(expression, 'values').length;
  return [
    ...(isList
      ? count === 1
        ? []
        : [requiredField(`${field}.values`, single)]
      : [invalidField(`${field}.operator`, operator, 'not a valid selector operator')]),
    ...(key === 'metadata.name'
      ? valueErrors(field, expression, subdomainErrors)
      : [invalidField(`${field}.key`, key, 'not a valid field selector key')]),
  ];
}

function valueErrors(field: string, expression: unknown, check: (value: string) => string[]): FieldError[] {
  return listAt(expression, 'values').flatMap((value, index) =>
    check(scalarText(value)).map((detail) => invalidField(`${field}.values[${index}]`, value, detail)),
  );
}

function podAffinityErrors(field: string, affinity: unknown): FieldError[] {
  return [
    ...listAt(affinity, REQUIRED).flatMap((term, index) => podTermErrors(`${field}.${REQUIRED}[${index}]`, term)),
    ...listAt(affinity, PREFERRED).flatMap((term, index) => {
      const path = `${field}.${PREFERRED}[${index}]`;
      return [...weightErrors(path, term), ...podTermErrors(...at(term, path, 'podAffinityTerm'))];
    }),
  ];
}

function podTermErrors(path: string, term: unknown): FieldError[] {
  const selector = valueAt(term, 'labelSelector');
  const topologyKey = scalarText(valueAt(term, 'topologyKey'));
  return [
    ...selectorErrors([`${path}.labelSelector`, selector]),
    ...selectorErrors(at(term, path, 'namespaceSelector')),
    ...listAt(term, 'namespaces').flatMap((name) =>
      dnsLabelErrors(scalarText(name)).map((detail) => invalidField(`${path}.namespace`, name, detail)),
    ),
    ...labelKeysErrors(path, {
      match: listAt(term, 'matchLabelKeys'),
      mismatch: listAt(term, 'mismatchLabelKeys'),
      selector,
    }),
    ...required([`${path}.topologyKey`, topologyKey], 'can not be empty'),
    ...labelNameErrors(`${path}.topologyKey`, topologyKey),
  ];
}
