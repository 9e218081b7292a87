import type { FieldError } from '../../status.ts';
import { forbiddenField, invalidField, requiredField, unsupportedField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { dnsLabelErrors, pathSegmentErrors } from '../names.ts';
import { parseQuantity } from '../quantity.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { containerResourceNameErrors } from './resource-names.ts';
import { at, isEmpty, nonNegative, required, requiredText, supported, text } from './rules.ts';

/** Rules and messages follow `pkg/apis/autoscaling/validation`. */

/** Kinds of metrics by the fields of their sources, in the order of the checks. */
const SOURCES = {
  object: 'Object',
  external: 'External',
  pods: 'Pods',
  resource: 'Resource',
  containerResource: 'ContainerResource',
} as const;

const TYPES = Object.values(SOURCES).toSorted();
const LONGEST_WINDOW = 3_600;
const LONGEST_PERIOD = 1_800;

/** Validates a HorizontalPodAutoscaler (upstream: `ValidateHorizontalPodAutoscaler`). */
export function autoscalerErrors({ object, subresource }: Change): FieldError[] {
  const spec = object['spec'];
  if (subresource === 'status') {
    return ['currentReplicas', 'desiredReplicas'].flatMap((field) =>
      nonNegative(at(object['status'], 'status', field)),
    );
  }
  const least = Number(valueAt(spec, 'minReplicas') ?? 1);
  const most = Number(valueAt(spec, 'maxReplicas') ?? 0);
  return [
    ...(least < 1 ? [invalidField('spec.minReplicas', least, 'must be greater than or equal to 1')] : []),
    ...(most < 1 ? [invalidField('spec.maxReplicas', most, 'must be greater than 0')] : []),
    ...(most < least ? [invalidField('spec.maxReplicas', most, 'must be greater than or equal to `minReplicas`')] : []),
    ...referenceErrors('spec.scaleTargetRef', valueAt(spec, 'scaleTargetRef'), { needsGroup: true }),
    ...listAt(spec, 'metrics').flatMap((metric, index) => metricErrors(`spec.metrics[${index}]`, metric)),
    ...['scaleUp', 'scaleDown'].flatMap((name) =>
      rulesErrors(`spec.behavior.${name}`, valueAt(spec, `behavior.${name}`)),
    ),
  ];
}

function referenceErrors(
  field: string,
  reference: unknown,
  { needsGroup }: { readonly needsGroup: boolean },
): FieldError[] {
  const version = scalarText(valueAt(reference, 'apiVersion'));
  const parts = version.split('/').length;
  const why =
    parts > 2
      ? `unexpected GroupVersion string: ${version}`
      : needsGroup && (parts < 2 || version.startsWith('/'))
        ? 'apiVersion must specify API group'
        : undefined;
  return [
    ...requiredText(at(reference, field, 'kind'), pathSegmentErrors),
    ...requiredText(at(reference, field, 'name'), pathSegmentErrors),
    ...(why === undefined ? [] : [invalidField(`${field}.apiVersion`, version, why)]),
  ];
}

function metricErrors(field: string, metric: unknown): FieldError[] {
  const type = scalarText(valueAt(metric, 'type'));
  const unknown = TYPES.some((each) => each === type) ? [] : [unsupportedField(`${field}.type`, type, TYPES)];
  const present = Object.keys(SOURCES).filter(
    (name) => valueAt(metric, name) !== undefined,
  ) as (keyof typeof SOURCES)[];
  const [first] = present;
  const expected = Object.entries(SOURCES).find(([, each]) => each === type)?.[0];
  const missing = 'must populate information for the given metric source';
  const others = present.length === 1 ? [] : present.filter((name) => name !== expected);
  return [
    ...(type === '' ? [requiredField(`${field}.type`, 'must specify a metric source type')] : []),
    ...unknown,
    ...(first === undefined ? [] : sourceErrors(first, `${field}.${first}`, valueAt(metric, first))),
    ...(expected !== undefined && !present.some((name) => name === expected)
      ? [requiredField(`${field}.${expected}`, missing)]
      : []),
    ...others.map((name) => forbiddenField(`${field}.${name}`, 'must populate the given metric source only')),
  ];
}

function sourceErrors(name: keyof typeof SOURCES, field: string, source: unknown): FieldError[] {
  const target = valueAt(source, 'target');
  const [value, average, utilization] = ['value', 'averageValue', 'averageUtilization'].map((each) =>
    valueAt(target, each),
  );
  const missing = (each: string, detail: string): FieldError[] => [requiredField(`${field}.target.${each}`, detail)];
  const targets = targetErrors(`${field}.target`, target);
  switch (name) {
    case 'object':
      return [
        ...referenceErrors(`${field}.describedObject`, valueAt(source, 'describedObject'), { needsGroup: false }),
        ...identifierErrors(field, source),
        ...targets,
        ...((value ?? average) ? [] : missing('averageValue', 'must set either a target value or averageValue')),
      ];
    case 'external':
      return [
        ...identifierErrors(field, source),
        ...targets,
        ...((value ?? average)
          ? []
          : missing('averageValue', 'must set either a target value for metric or a per-pod target')),
        ...(value !== undefined && average !== undefined
          ? [forbiddenField(`${field}.target.value`, 'may not set both a target value for metric and a per-pod target')]
          : []),
      ];
    case 'pods':
      return [
        ...identifierErrors(field, source),
        ...targets,
        ...(average === undefined ? missing('averageValue', 'must specify a positive target averageValue') : []),
      ];
    default:
      return [
        ...resourceErrors(name, field, source),
        ...targets,
        ...(average === undefined && utilization === undefined
          ? missing('averageUtilization', 'must set either a target raw value or a target utilization')
          : []),
        ...(average !== undefined && utilization !== undefined
          ? [
              forbiddenField(
                `${field}.target.averageValue`,
                'may not set both a target raw value and a target utilization',
              ),
            ]
          : []),
      ];
  }
}

function resourceErrors(name: string, field: string, source: unknown): FieldError[] {
  const resource = at(source, field, 'name');
  const missing = required(resource, 'must specify a resource name');
  if (name === 'resource') return missing;
  const container = at(source, field, 'container');
  return [
    ...(missing.length > 0 ? missing : containerResourceNameErrors(resource[0], scalarText(resource[1]))),
    ...(isEmpty(container[1])
      ? [requiredField(container[0], 'must specify a container')]
      : text(container, dnsLabelErrors)),
  ];
}

function identifierErrors(field: string, source: unknown): FieldError[] {
  const name = at(valueAt(source, 'metric'), `${field}.metric`, 'name');
  return isEmpty(name[1]) ? required(name, 'must specify a metric name') : text(name, pathSegmentErrors);
}

function targetErrors(field: string, target: unknown): FieldError[] {
  const type = scalarText(valueAt(target, 'type'));
  const utilization = valueAt(target, 'averageUtilization');
  const isKnown = ['Utilization', 'Value', 'AverageValue'].includes(type);
  return [
    ...(type === '' ? [requiredField(`${field}.type`, 'must specify a metric target type')] : []),
    ...(isKnown ? [] : [invalidField(`${field}.type`, type, 'must be either Utilization, Value, or AverageValue')]),
    ...['value', 'averageValue'].flatMap((name) => {
      const amount = parseQuantity(valueAt(target, name));
      if (!amount || amount.nano > 0n) return [];
      return [invalidField(`${field}.${name}`, valueAt(target, name), 'must be positive')];
    }),
    ...(typeof utilization === 'number' && utilization < 1
      ? [invalidField(`${field}.averageUtilization`, utilization, 'must be greater than 0')]
      : []),
  ];
}

function rulesErrors(field: string, rules: unknown): FieldError[] {
  if (rules === undefined) return [];
  const [windowField, seconds] = at(rules, field, 'stabilizationWindowSeconds');
  const policies = listAt(rules, 'policies');
  const why =
    typeof seconds !== 'number'
      ? undefined
      : seconds < 0
        ? 'greater than or equal to zero'
        : seconds > LONGEST_WINDOW
          ? `less than or equal to ${LONGEST_WINDOW}`
          : undefined;
  return [
    ...(why === undefined ? [] : [invalidField(windowField, seconds, `must be ${why}`)]),
    ...supported(at(rules, field, 'selectPolicy'), ['Disabled', 'Max', 'Min']),
    ...(policies.length === 0 ? [requiredField(`${field}.policies`, 'must specify at least one Policy')] : []),
    ...policies.flatMap((policy, index) => policyErrors(`${field}.policies[${index}]`, policy)),
    ...nonNegativeAmount(at(rules, field, 'tolerance')),
  ];
}

function nonNegativeAmount([field, amount]: readonly [string, unknown]): FieldError[] {
  const quantity = parseQuantity(amount);
  if (!quantity || quantity.nano >= 0n) return [];
  return [invalidField(field, amount, 'must be greater than or equal to 0')];
}

function policyErrors(field: string, policy: unknown): FieldError[] {
  const [value, period] = ['value', 'periodSeconds'].map((name) => Number(valueAt(policy, name) ?? 0));
  const few = 'must be greater than zero';
  const most = `must be less than or equal to ${LONGEST_PERIOD}`;
  return [
    ...supported([`${field}.type`, scalarText(valueAt(policy, 'type'))], ['Percent', 'Pods']),
    ...((value ?? 0) <= 0 ? [invalidField(`${field}.value`, value, few)] : []),
    ...((period ?? 0) <= 0 ? [invalidField(`${field}.periodSeconds`, period, few)] : []),
    ...((period ?? 0) > LONGEST_PERIOD ? [invalidField(`${field}.periodSeconds`, period, most)] : []),
  ];
}
