import { isDeepStrictEqual } from 'node:util';
import { clientConfigErrors } from '../../definitions/conversion-errors.ts';
import type { FieldError } from '../../status.ts';
import { duplicateField, invalidField, requiredField, unsupportedField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { dns1035LabelErrors, subdomainErrors } from '../names.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { isRepeated, operationRuleErrors } from './admission-rules.ts';
import { matchConditionErrors } from './match-conditions.ts';
import { at, supported } from './rules.ts';
import { selectorErrors } from './selector.ts';

const WITHOUT_SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const SIDE_EFFECTS = ['None', 'NoneOnDryRun', 'Some', 'Unknown'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const LONGEST_TIMEOUT = 30;

/** Rules that an update need not follow, because the object did not before. */
interface Leniency {
  readonly sideEffects: boolean;
  readonly versions: boolean;
  readonly names: boolean;
  readonly conditions: boolean;
}

/** Validates a webhook configuration (upstream: `pkg/apis/admissionregistration/validation`). */
export function webhookConfigurationErrors({ object, previous }: Change): FieldError[] {
  const hooks = listAt(object, 'webhooks');
  const before = previous && listAt(previous, 'webhooks');
  const leniency: Leniency = {
    sideEffects:
      before?.some((hook) => !WITHOUT_SIDE_EFFECTS.includes(scalarText(valueAt(hook, 'sideEffects')))) ?? false,
    versions: before?.some((hook) => versionsOf(hook).length > 0 && !versionsOf(hook).some(isKnownVersion)) ?? false,
    names: before?.some((_hook, index) => isRepeated(before, index, 'name')) ?? false,
    conditions: before !== undefined && isDeepStrictEqual(hooks.map(conditionsOf), before.map(conditionsOf)),
  };
  return hooks.flatMap((hook, index) => {
    const path = `webhooks[${index}]`;
    const repeated = !leniency.names && isRepeated(hooks, index, 'name');
    return [
      ...webhookErrors(hook, path, leniency),
      ...versionErrors(versionsOf(hook), `${path}.admissionReviewVersions`, leniency),
      ...(repeated ? [duplicateField(`${path}.name`, valueAt(hook, 'name'))] : []),
    ];
  });
}

const conditionsOf = (hook: unknown): unknown => valueAt(hook, 'matchConditions');
const versionsOf = (hook: unknown): string[] => listAt(hook, 'admissionReviewVersions').map(scalarText);
const isKnownVersion = (version: string): boolean => REVIEW_VERSIONS.includes(version);

function webhookErrors(hook: unknown, path: string, leniency: Leniency): FieldError[] {
  const timeout = valueAt(hook, 'timeoutSeconds');
  const isTimeout = typeof timeout !== 'number' || (timeout >= 1 && timeout <= LONGEST_TIMEOUT);
  return [
    ...nameErrors(scalarText(valueAt(hook, 'name')), `${path}.name`),
    ...listAt(hook, 'rules').flatMap((rule, index) => operationRuleErrors(rule, `${path}.rules[${index}]`)),
    ...supported(at(hook, path, 'failurePolicy'), ['Fail', 'Ignore']),
    ...supported(at(hook, path, 'matchPolicy'), ['Equivalent', 'Exact']),
    ...sideEffectErrors(valueAt(hook, 'sideEffects'), `${path}.sideEffects`, leniency),
    ...(isTimeout
      ? []
      : [invalidField(`${path}.timeoutSeconds`, timeout, 'the timeout value must be between 1 and 30 seconds')]),
    ...selectorErrors(at(hook, path, 'namespaceSelector')),
    ...selectorErrors(at(hook, path, 'objectSelector')),
    ...supported(at(hook, path, 'reinvocationPolicy'), ['IfNeeded', 'Never']),
    ...clientConfigErrors(valueAt(hook, 'clientConfig') ?? {}, `${path}.clientConfig`),
    ...(leniency.conditions ? [] : matchConditionErrors(hook, `${path}.matchConditions`, {})),
  ];
}

function nameErrors(name: string, field: string): FieldError[] {
  if (name === '') return [requiredField(field, '')];
  const details = subdomainErrors(name);
  if (details.length > 0) return [invalidField(field, name, details.join(','))];
  if (name.split('.').length >= 3) return [];
  return [invalidField(field, name, 'should be a domain with at least three segments separated by dots')];
}

function sideEffectErrors(value: unknown, field: string, { sideEffects: isLenient }: Leniency): FieldError[] {
  const allowed = isLenient ? SIDE_EFFECTS : WITHOUT_SIDE_EFFECTS;
  if (value === undefined) return [requiredField(field, `must specify one of ${allowed.join(', ')}`)];
  return allowed.includes(scalarText(value)) ? [] : [unsupportedField(field, value, allowed)];
}

function versionErrors(versions: readonly string[], field: string, leniency: Leniency): FieldError[] {
  if (versions.length === 0) return [requiredField(field, `must specify one of ${REVIEW_VERSIONS.join(', ')}`)];
  const errors = versions.flatMap((version, index) => {
    const place = `${field}[${index}]`;
    if (versions.indexOf(version) < index) return [invalidField(place, version, 'duplicate version')];
    return dns1035LabelErrors(version).map((detail) => invalidField(place, version, detail));
  });
  if (!leniency.versions && !versions.some(isKnownVersion)) {
    errors.push(invalidField(field, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`));
  }
  return errors;
}
