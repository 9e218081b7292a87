import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../status.ts';
import { invalidField, requiredField, unsupportedField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { pathSegmentErrors, subdomainErrors } from '../names.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { at, required, requiredText } from './rules.ts';
import { selectorErrors } from './selector.ts';

/** Rules and messages follow `pkg/apis/rbac/validation`. */

const GROUP = 'rbac.authorization.k8s.io';

/** Returns the validation of roles. */
export function roleErrors(isNamespaced: boolean): (change: Change) => FieldError[] {
  return ({ object }) => [
    ...listAt(object, 'rules').flatMap((rule, index) => ruleErrors(`rules[${index}]`, rule, isNamespaced)),
    ...(isNamespaced ? [] : aggregationErrors(object['aggregationRule'])),
  ];
}

function ruleErrors(field: string, rule: unknown, isNamespaced: boolean): FieldError[] {
  const [verbs, urls, groups, resources] = ['verbs', 'nonResourceURLs', 'apiGroups', 'resources'].map((name) =>
    listAt(rule, name),
  );
  const errors: FieldError[] = [];
  if (verbs?.length === 0) errors.push(requiredField(`${field}.verbs`, 'verbs must contain at least one value'));
  if (urls !== undefined && urls.length > 0) {
    const isMixed = [groups, resources, listAt(rule, 'resourceNames')].some((list) => (list?.length ?? 0) > 0);
    if (isNamespaced) {
      errors.push(invalidField(`${field}.nonResourceURLs`, urls, 'namespaced rules cannot apply to non-resource URLs'));
    }
    if (isMixed) {
      const detail = 'rules cannot apply to both regular resources and non-resource URLs';
      errors.push(invalidField(`${field}.nonResourceURLs`, urls, detail));
    }
    return errors;
  }
  if (groups?.length === 0) {
    errors.push(requiredField(`${field}.apiGroups`, 'resource rules must supply at least one api group'));
  }
  if (resources?.length === 0) {
    errors.push(requiredField(`${field}.resources`, 'resource rules must supply at least one resource'));
  }
  return errors;
}

function aggregationErrors(rule: unknown): FieldError[] {
  if (rule === undefined) return [];
  const field = 'aggregationRule.clusterRoleSelectors';
  const selectors = listAt(rule, 'clusterRoleSelectors');
  if (selectors.length === 0) {
    return [requiredField(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  }
  return selectors.flatMap((selector, index) => {
    const errors = selectorErrors([`${field}[${index}]`, selector]);
    // The selector that upstream failed to parse is not there.
    return errors.length === 0 ? [] : [...errors, invalidField(`${field}[${index}]`, null, 'invalid label selector.')];
  });
}

/** Returns the validation of bindings to roles of these kinds. */
export function bindingErrors(roles: readonly string[]): (change: Change) => FieldError[] {
  const isNamespaced = roles.length > 1;
  return ({ object, previous }) => {
    const reference = object['roleRef'];
    const isChanged = previous !== undefined && !isDeepStrictEqual(internal(reference), internal(previous['roleRef']));
    return [
      ...exactly('roleRef.apiGroup', valueAt(reference, 'apiGroup'), [GROUP]),
      ...exactly('roleRef.kind', valueAt(reference, 'kind'), roles),
      ...requiredText(at(reference, 'roleRef', 'name'), pathSegmentErrors),
      ...listAt(object, 'subjects').flatMap((subject, index) =>
        subjectErrors(`subjects[${index}]`, subject, isNamespaced),
      ),
      ...(isChanged ? [invalidField('roleRef', internal(reference), 'cannot change roleRef')] : []),
    ];
  };
}

/** Returns a reference as the internal type of upstream writes it. */
function internal(reference: unknown): object {
  const of = (field: string): string => scalarText(valueAt(reference, field));
  return { APIGroup: of('apiGroup'), Kind: of('kind'), Name: of('name') };
}

function subjectErrors(field: string, subject: unknown, isNamespaced: boolean): FieldError[] {
  const name = at(subject, field, 'name');
  const [kind, group] = ['kind', 'apiGroup'].map((each) => valueAt(subject, each));
  switch (kind) {
    case 'ServiceAccount':
      return [
        ...requiredText(name, subdomainErrors),
        ...exactly(`${field}.apiGroup`, group, ['']),
        ...(isNamespaced ? [] : required(at(subject, field, 'namespace'))),
      ];
    case 'User':
    case 'Group':
      return [...required(name), ...exactly(`${field}.apiGroup`, group, [GROUP])];
    default:
      return [...required(name), ...exactly(`${field}.kind`, kind, ['ServiceAccount', 'User', 'Group'])];
  }
}

/** The value must be one of those. An absent text is the empty one. */
function exactly(field: string, value: unknown, supported: readonly string[]): FieldError[] {
  const sent = scalarText(value);
  return supported.includes(sent) ? [] : [unsupportedField(field, sent, supported)];
}
