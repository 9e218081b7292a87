import { isIP } from 'node:net';
import type { FieldError } from '../../status.ts';
import { invalidField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { affinityErrors } from './affinity.ts';
import { containersErrors } from './container.ts';
import { at, between, dnsLabel, isEmpty, labels, oneOf, qualifiedName, subdomain } from './rules.ts';
import { tolerationErrors } from './toleration.ts';
import { topologySpreadErrors } from './topology-spread.ts';
import { volumeErrors } from './volume.ts';

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
    ...affinityErrors(place('affinity')),
    ...dnsErrors(path, spec),
    ...gateErrors(path, spec),
    ...topologySpreadErrors(place('topologySpreadConstraints')),
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

function aliasErrors(path: string, spec: unknown): FieldError[] {
  return listAt(spec, 'hostAliases').flatMap((alias, index) => {
    const field = `${path}.hostAliases[${index}].ip`;
    const address = valueAt(alias, 'ip');
    if (!isEmpty(address) && isIP(scalarText(address)) !== 0) return [];
    return [invalidField(field, address ?? '', 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
  });
}
