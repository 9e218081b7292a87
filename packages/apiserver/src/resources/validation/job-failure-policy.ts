import type { FieldError } from '../../status.ts';
import { duplicateField, invalidField, requiredField, unsupportedField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { qualifiedNameErrors } from '../names.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { at, atMost, text } from './rules.ts';

const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const MOST = { rules: 20, conditions: 20, values: 255 };

/** Validates what the failures of Pods mean for a Job (upstream: `validatePodFailurePolicy`). */
export function failurePolicyErrors(path: string, spec: unknown): FieldError[] {
  const field = `${path}.podFailurePolicy.rules`;
  const rules = listAt(spec, 'podFailurePolicy.rules');
  const containers = ['containers', 'initContainers'].flatMap((list) => listAt(spec, `template.spec.${list}`));
  const names = containers.map((container) => scalarText(valueAt(container, 'name')));
  const hasLimit = valueAt(spec, 'backoffLimitPerIndex') !== undefined;
  return [
    ...atMost(field, rules.length, MOST.rules),
    ...rules.flatMap((rule, index) => ruleErrors(`${field}[${index}]`, rule, { names, hasLimit })),
  ];
}

interface Circumstances {
  /** Names of the containers. */
  readonly names: readonly string[];
  /** Whether failures of each index are limited. */
  readonly hasLimit: boolean;
}

function ruleErrors(field: string, rule: unknown, { names, hasLimit }: Circumstances): FieldError[] {
  const codes = valueAt(rule, 'onExitCodes');
  const conditions = listAt(rule, 'onPodConditions');
  const needsLimit = valueAt(rule, 'action') === 'FailIndex' && !hasLimit;
  const count = (codes === undefined ? 0 : 1) + (conditions.length > 0 ? 1 : 0);
  const why =
    count === 2
      ? 'specifying both OnExitCodes and OnPodConditions is not supported'
      : 'specifying one of OnExitCodes and OnPodConditions is required';
  return [
    ...oneOfListed(at(rule, field, 'action'), ACTIONS),
    ...(needsLimit
      ? [invalidField(`${field}.action`, 'FailIndex', 'requires the backoffLimitPerIndex to be set')]
      : []),
    ...(codes === undefined ? [] : exitCodeErrors(`${field}.onExitCodes`, codes, names)),
    ...atMost(`${field}.onPodConditions`, conditions.length, MOST.conditions),
    ...conditions.flatMap((condition, index) => {
      const place = (name: string): readonly [string, unknown] =>
        at(condition, `${field}.onPodConditions[${index}]`, name);
      return [
        ...text(place('type'), qualifiedNameErrors),
        ...oneOfListed(place('status'), ['False', 'True', 'Unknown']),
      ];
    }),
    ...(count === 1 ? [] : [{ ...invalidField(field, '', why), message: `Invalid value: ${why}` }]),
  ];
}

/** The error of an empty value lists the others, as Go prints a list. */
function oneOfListed([field, value]: readonly [string, unknown], values: readonly string[]): FieldError[] {
  const sent = scalarText(value);
  if (values.includes(sent)) return [];
  if (sent !== '') return [unsupportedField(field, sent, values)];
  return [requiredField(field, `valid values: [${values.map((each) => JSON.stringify(each)).join(' ')}]`)];
}

function exitCodeErrors(field: string, codes: unknown, names: readonly string[]): FieldError[] {
  const [container, list] = [valueAt(codes, 'containerName'), valueAt(codes, 'values')];
  const values = listAt(codes, 'values').map(Number);
  const isIn = valueAt(codes, 'operator') === 'In';
  const unknown = 'must be one of the container or initContainer names in the pod template';
  const place = `${field}.values`;
  return [
    ...oneOfListed(at(codes, field, 'operator'), ['In', 'NotIn']),
    ...(container !== undefined && !names.includes(scalarText(container))
      ? [invalidField(`${field}.containerName`, container, unknown)]
      : []),
    ...(values.length === 0 ? [invalidField(place, list, 'at least one value is required')] : []),
    ...atMost(place, values.length, MOST.values),
    ...values.flatMap((value, index) => [
      ...(isIn && value === 0 ? [invalidField(`${place}[${index}]`, value, 'must not be 0 for the In operator')] : []),
      ...(values.indexOf(value) < index ? [duplicateField(`${place}[${index}]`, value)] : []),
    ]),
    ...(values.some((value, index) => index > 0 && (values[index - 1] ?? 0) > value)
      ? [invalidField(place, list, 'must be ordered')]
      : []),
  ];
}

/** Returns a failure policy as the internal type of upstream writes it. */
export function internalFailurePolicy(policy: unknown): object | null {
  if (policy === undefined) return null;
  const listed = (of: unknown, list: string, shown: (item: unknown) => object): object[] | null =>
    Array.isArray(valueAt(of, list)) ? listAt(of, list).map(shown) : null;
  const rules = listed(policy, 'rules', (rule) => {
    const codes = valueAt(rule, 'onExitCodes');
    return {
      Action: scalarText(valueAt(rule, 'action')),
      OnExitCodes:
        codes === undefined
          ? null
          : {
              ContainerName: valueAt(codes, 'containerName') ?? null,
              Operator: scalarText(valueAt(codes, 'operator')),
              Values: valueAt(codes, 'values') ?? null,
            },
      OnPodConditions: listed(rule, 'onPodConditions', (condition) => ({
        Type: scalarText(valueAt(condition, 'type')),
        Status: scalarText(valueAt(condition, 'status')),
      })),
    };
  });
  return { Rules: rules };
}
