import type { FieldError } from '../../status.ts';
import { forbiddenField, invalidField, notFoundField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { qualifiedNameErrors, subdomainErrors } from '../names.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { affinityErrors } from './affinity.ts';
import { containersErrors } from './container.ts';
import { legacyAddressErrors } from './ip-address.ts';
import { dnsErrors } from './pod-dns.ts';
import { overheadErrors, podResourceErrors, resourceClaimErrors } from './pod-resources.ts';
import { at, between, dnsLabel, labels, oneOf, subdomain, supported, text, textIfSet, unique } from './rules.ts';
import { podSecurityErrors } from './security-context.ts';
import { tolerationErrors } from './toleration.ts';
import { topologySpreadErrors } from './topology-spread.ts';
import { volumeErrors } from './volume.ts';
import { hostProcessErrors, hostUserErrors, systemFieldErrors } from './windows.ts';

/**
 * Validates the spec of a Pod or of a template (upstream: `ValidatePodSpec`), in its order.
 *
 * @param podName name of the Pod, for which some rules are stricter; `undefined` for a template.
 */
export function podSpecErrors(path: string, spec: unknown, podName?: string): FieldError[] {
  const { errors, volumes } = volumeErrors(path, spec, podName);
  const isPod = podName !== undefined;
  const place = (field: string): readonly [string, unknown] => at(spec, path, field);
  return [
    ...errors,
    ...resourceClaimErrors(path, spec),
    ...containersErrors(path, spec, volumes),
    ...podResourceErrors(path, spec),
    ...hostNetworkErrors(path, spec, isPod),
    ...oneOf(place('restartPolicy'), ['Always', 'OnFailure', 'Never']),
    ...oneOf(place('dnsPolicy'), ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']),
    ...labels(place('nodeSelector')),
    ...podSecurityErrors(`${path}.securityContext`, spec),
    ...affinityErrors(place('affinity')),
    ...dnsErrors(path, spec),
    ...listAt(spec, 'readinessGates').flatMap((gate, index) =>
      text([`${path}.readinessGates[${index}].conditionType`, valueAt(gate, 'conditionType')], qualifiedNameErrors),
    ),
    ...gateErrors(path, spec),
    ...topologySpreadErrors(place('topologySpreadConstraints')),
    ...hostProcessErrors(path, spec),
    ...hostUserErrors(path, spec),
    ...hostNameErrors(path, spec),
    ...subdomain(place('serviceAccountName')),
    ...subdomain(place('nodeName')),
    ...between(place('activeDeadlineSeconds'), 1),
    ...dnsLabel(place('hostname')),
    ...dnsLabel(place('subdomain')),
    ...tolerationErrors(`${path}.tolerations`, listAt(spec, 'tolerations')),
    ...aliasErrors(path, spec),
    ...subdomain(place('priorityClassName')),
    ...textIfSet(place('runtimeClassName'), subdomainErrors),
    ...preemptionErrors(...place('preemptionPolicy')),
    ...overheadErrors(path, spec),
    ...systemErrors(path, spec),
    ...fileVolumeErrors(path, spec),
  ];
}

function preemptionErrors(field: string, policy: unknown): FieldError[] {
  if (policy === '') return [requiredField(field, '')];
  return supported([field, policy], ['PreemptLowerPriority', 'Never']);
}

/** Ports of a Pod in the network of its host are those of the host. */
function hostNetworkErrors(path: string, spec: unknown, isPod: boolean): FieldError[] {
  if (valueAt(spec, 'hostNetwork') !== true) return [];
  const detail = 'must match `containerPort` when `hostNetwork` is true';
  return listAt(spec, 'containers').flatMap((container, index) =>
    listAt(container, 'ports').flatMap((port, at_) => {
      const [host, own] = ['hostPort', 'containerPort'].map((name) => Number(valueAt(port, name) ?? 0));
      if (host === own || (host === 0 && !isPod)) return [];
      return [invalidField(`${path}.containers[${index}].ports[${at_}].hostPort`, host, detail)];
    }),
  );
}

const LONGEST_HOST_NAME = 64;

function hostNameErrors(path: string, spec: unknown): FieldError[] {
  const [field, name] = at(spec, path, 'hostnameOverride');
  if (name === undefined) return [];
  const without = (other: string): FieldError[] =>
    valueAt(spec, other) === true ? [forbiddenField(field, `may not be specified when ${other} is true`)] : [];
  const isLong = scalarText(name).length > LONGEST_HOST_NAME;
  const message = `Too long: may not be more than ${LONGEST_HOST_NAME} bytes`;
  return [
    ...without('setHostnameAsFQDN'),
    ...without('hostNetwork'),
    ...(isLong ? [{ reason: 'FieldValueTooLong' as const, field, message }] : []),
    ...text([field, name], subdomainErrors),
  ];
}

/** Environment variables can come from files in volumes that the Pod creates. */
function fileVolumeErrors(path: string, spec: unknown): FieldError[] {
  const volumes = new Map(listAt(spec, 'volumes').map((volume) => [valueAt(volume, 'name'), volume]));
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    listAt(spec, list).flatMap((container, index) =>
      listAt(container, 'env').flatMap((variable, at_) => {
        const reference = valueAt(variable, 'valueFrom.fileKeyRef');
        if (reference === undefined) return [];
        const name = scalarText(valueAt(reference, 'volumeName'));
        const field = `${path}.${list}[${index}].env[${at_}].valueFrom.fileKeyRef.volumeName`;
        if (!volumes.has(name)) return [notFoundField(field, name)];
        const isOwn = valueAt(volumes.get(name), 'emptyDir') !== undefined;
        return isOwn ? [] : [invalidField(field, name, 'referenced volume must be of type emptyDir')];
      }),
    ),
  );
}

function gateErrors(path: string, spec: unknown): FieldError[] {
  const names = listAt(spec, 'schedulingGates').map((gate) => scalarText(valueAt(gate, 'name')));
  return names.flatMap((name, index) => {
    const field = `${path}.schedulingGates[${index}]`;
    return [...text([field, name], qualifiedNameErrors), ...unique(field, index, names)];
  });
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

function systemErrors(path: string, spec: unknown): FieldError[] {
  if (valueAt(spec, 'os') === undefined) return [];
  const name = scalarText(valueAt(spec, 'os.name'));
  if (name === '') return [requiredField(`${path}.os.name`, '')];
  const errors = supported([`${path}.os`, name], ['linux', 'windows']);
  return errors.length > 0 ? errors : systemFieldErrors(path, spec);
}
