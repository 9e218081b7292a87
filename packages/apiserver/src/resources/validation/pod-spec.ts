import type { FieldError } from '../../status.ts';
import { requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { qualifiedNameErrors, subdomainErrors } from '../names.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { affinityErrors } from './affinity.ts';
import { containersErrors } from './container.ts';
import { legacyAddressErrors } from './ip-address.ts';
import { dnsErrors } from './pod-dns.ts';
import { at, between, dnsLabel, labels, oneOf, qualifiedName, subdomain, supported, text } from './rules.ts';
import { podSecurityErrors } from './security-context.ts';
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
    ...podSecurityErrors(...place('securityContext')),
    ...affinityErrors(place('affinity')),
    ...dnsErrors(path, spec),
    ...listAt(spec, 'readinessGates').flatMap((gate, index) =>
      text([`${path}.readinessGates[${index}].conditionType`, valueAt(gate, 'conditionType')], qualifiedNameErrors),
    ),
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
    ...systemErrors(...place('os')),
  ];
}

function gateErrors(path: string, spec: unknown): FieldError[] {
  return listAt(spec, 'schedulingGates').flatMap((gate, index) =>
    qualifiedName([`${path}.schedulingGates[${index}]`, valueAt(gate, 'name')]),
  );
}

function aliasErrors(path: string, spec: unknown): FieldError[] {
  return listAt(spec, 'hostAliases').flatMap((alias, index) => {
    const field = `${path}.hostAliases[${index}]`;
    return [
      ...legacyAddressErrors(`${field}.ip`, scalarText(valueAt(alias, 'ip'))),
      ...listAt(alias, 'hostnames').flatMap((name, at_) => text([`${field}.hostnames[${at_}]`, name], subdomainErrors)),
    ];
  });
}

function systemErrors(field: string, system: unknown): FieldError[] {
  if (system === undefined) return [];
  const name = scalarText(valueAt(system, 'name'));
  if (name === '') return [requiredField(`${field}.name`, '')];
  return supported([field, name], ['linux', 'windows']);
}
