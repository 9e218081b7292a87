import { isIP } from 'node:net';
import type { FieldError } from '../../status.ts';
import { invalidField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { containersErrors } from './container.ts';
import { at, between, dnsLabel, isEmpty, labels, oneOf, qualifiedName, required, subdomain } from './rules.ts';
import { selectorErrors } from './selector.ts';
import { volumeErrors } from './volume.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Validates the spec of a Pod or of a template (upstream: `ValidatePodSpec`), in its order. */
export function podSpecErrors(path: string, spec: unknown): FieldError[] {
  const volumes = volumeErrors(path, spec);
  const place = (field: string): readonly [string, unknown] => at(spec, path, field);
  return [
    ...volumes.errors,
    ...containersErrors(path, spec, volumes.names),
    ...oneOf(place('restartPolicy'), ['Always', 'OnFailure', 'Never']),
    ...oneOf(place('dnsPolicy'), ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']),
    ...labels(place('nodeSelector')),
    ...securityErrors(...place('securityContext')),
    ...dnsErrors(path, spec),
    ...gateErrors(path, spec),
    ...spreadErrors(path, spec),
    ...subdomain(place('serviceAccountName')),
    ...subdomain(place('nodeName')),
    ...between(place('activeDeadlineSeconds'), 1),
    ...dnsLabel(place('hostname')),
    ...dnsLabel(place('subdomain')),
    ...tolerationErrors(`${path}.tolerations`, listAt(spec, 'tolerations')),
    ...aliasErrors(path, spec),
    ...subdomain(place('priorityClassName')),
    ...subdomain(place('runtimeClassName')),
    ...oneOf(place('preemptionPolicy'), ['PreemptLowerPriority', 'Never']),
  ];
}

function securityErrors(field: string, context: unknown): FieldError[] {
  return ['fsGroup', 'runAsUser', 'runAsGroup'].flatMap((name) => between(at(context, field, name), 0));
}

function dnsErrors(path: string, spec: unknown): FieldError[] {
  if (valueAt(spec, 'dnsPolicy') !== 'None') return [];
  const config = valueAt(spec, 'dnsConfig');
  if (config === undefined) {
    return [requiredField(`${path}.dnsConfig`, 'must provide `dnsConfig` when `dnsPolicy` is None')];
  }
  if (listAt(config, 'nameservers').length > 0) return [];
  return [
    requiredField(`${path}.dnsConfig.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None'),
  ];
}

function gateErrors(path: string, spec: unknown): FieldError[] {
  return listAt(spec, 'schedulingGates').flatMap((gate, index) =>
    qualifiedName([`${path}.schedulingGates[${index}]`, valueAt(gate, 'name')]),
  );
}

function spreadErrors(path: string, spec: unknown): FieldError[] {
  return listAt(spec, 'topologySpreadConstraints').flatMap((constraint, index) => {
    const field = `${path}.topologySpreadConstraints[${index}]`;
    const skew = valueAt(constraint, 'maxSkew') ?? 0;
    return [
      ...(Number(skew) > 0 ? [] : [invalidField(`${field}.maxSkew`, skew, 'must be greater than zero')]),
      ...required(at(constraint, field, 'topologyKey'), 'can not be empty'),
      ...oneOf(at(constraint, field, 'whenUnsatisfiable'), ['DoNotSchedule', 'ScheduleAnyway']),
      ...selectorErrors(at(constraint, field, 'labelSelector')),
    ];
  });
}

/** Validates tolerations (upstream: `ValidateTolerations`). */
export function tolerationErrors(path: string, tolerations: readonly unknown[]): FieldError[] {
  return tolerations.flatMap((toleration, index) => {
    const field = `${path}[${index}]`;
    const operator = scalarText(valueAt(toleration, 'operator'));
    const [key, value] = ['key', 'value'].map((name) => scalarText(valueAt(toleration, name)));
    const errors = qualifiedName([`${field}.key`, key]);
    if (key === '' && operator !== 'Exists') {
      errors.push(
        invalidField(
          `${field}.operator`,
          operator,
          'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ),
      );
    }
    const seconds = valueAt(toleration, 'tolerationSeconds');
    if (seconds !== undefined && valueAt(toleration, 'effect') !== 'NoExecute') {
      const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
      errors.push(invalidField(`${field}.effect`, valueAt(toleration, 'effect') ?? '', detail));
    }
    if (operator === 'Exists' && value !== '') {
      // Upstream names the operator and shows the value.
      errors.push(invalidField(`${field}.operator`, value, "value must be empty when `operator` is 'Exists'"));
    }
    errors.push(...oneOf([`${field}.operator`, operator], ['Equal', 'Exists']));
    errors.push(...oneOf(at(toleration, field, 'effect'), EFFECTS));
    return errors;
  });
}

function aliasErrors(path: string, spec: unknown): FieldError[] {
  return listAt(spec, 'hostAliases').flatMap((alias, index) => {
    const field = `${path}.hostAliases[${index}].ip`;
    const address = valueAt(alias, 'ip');
    if (!isEmpty(address) && isIP(scalarText(address)) !== 0) return [];
    return [invalidField(field, address ?? '', 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
  });
}
