import type { FieldError } from '../../status.ts';
import { duplicateField, forbiddenField, invalidField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { environmentErrors } from './environment.ts';
import { probesErrors } from './probe.ts';
import { resourceErrors } from './resources.ts';
import {
  at,
  between,
  dnsLabel,
  isEmpty,
  oneOf,
  portName,
  portNameErrors,
  portNumber,
  required,
  supported,
} from './rules.ts';
import { appArmorErrors, seccompErrors } from './security-context.ts';
import { mountErrors } from './volume.ts';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const RUNTIME_FIELDS = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'];

/** Validates the containers of a Pod spec (upstream: `validateContainers` and `validateInitContainers`). */
export function containersErrors(path: string, spec: unknown, volumes: ReadonlySet<unknown>): FieldError[] {
  const containers = listAt(spec, 'containers');
  const names = new Set<unknown>();
  const errors: FieldError[] = containers.length === 0 ? [requiredField(`${path}.containers`, '')] : [];
  for (const [index, container] of containers.entries()) {
    const field = `${path}.containers[${index}]`;
    errors.push(...commonErrors(field, container, volumes), ...nameTwice(field, container, names));
    errors.push(...probesErrors(field, container));
  }
  for (const [index, container] of listAt(spec, 'initContainers').entries()) {
    const field = `${path}.initContainers[${index}]`;
    errors.push(...commonErrors(field, container, volumes), ...nameTwice(field, container, names));
    if (valueAt(container, 'restartPolicy') === 'Always') {
      errors.push(...probesErrors(field, container));
      continue;
    }
    for (const name of RUNTIME_FIELDS.filter((each) => valueAt(container, each) !== undefined)) {
      const detail = 'may not be set for init containers without restartPolicy=Always';
      errors.push(forbiddenField(`${field}.${name}`, detail));
    }
  }
  return errors;
}

function nameTwice(field: string, container: unknown, names: Set<unknown>): FieldError[] {
  const name = valueAt(container, 'name');
  if (names.has(name)) return [duplicateField(`${field}.name`, name)];
  if (!isEmpty(name)) names.add(name);
  return [];
}

function commonErrors(field: string, container: unknown, volumes: ReadonlySet<unknown>): FieldError[] {
  return [
    ...required(at(container, field, 'name')),
    ...dnsLabel(at(container, field, 'name')),
    ...required(at(container, field, 'image')),
    ...oneOf(at(container, field, 'terminationMessagePolicy'), ['File', 'FallbackToLogsOnError']),
    ...portsErrors(`${field}.ports`, listAt(container, 'ports')),
    ...environmentErrors(field, container),
    ...mountErrors(field, container, volumes),
    ...oneOf(at(container, field, 'imagePullPolicy'), ['Always', 'IfNotPresent', 'Never']),
    ...resourceErrors(at(container, field, 'resources')),
    ...resizeErrors(`${field}.resizePolicy`, listAt(container, 'resizePolicy')),
    ...securityErrors(...at(container, field, 'securityContext')),
  ];
}

const RESIZED = { resourceName: ['cpu', 'memory'], restartPolicy: ['NotRequired', 'RestartContainer'] } as const;

/** Upstream leaves the indexes out of most paths. */
function resizeErrors(field: string, policies: readonly unknown[]): FieldError[] {
  const names = policies.map((policy) => scalarText(valueAt(policy, 'resourceName')));
  return policies.flatMap((policy, index) => [
    ...(names.indexOf(names[index] ?? '') < index ? [duplicateField(`${field}[${index}]`, names[index])] : []),
    ...(['resourceName', 'restartPolicy'] as const).flatMap((name) => {
      const value = scalarText(valueAt(policy, name));
      return value === '' ? [requiredField(field, '')] : supported([field, value], RESIZED[name]);
    }),
  ]);
}

function portsErrors(path: string, ports: readonly unknown[]): FieldError[] {
  const names = new Set<unknown>();
  return ports.flatMap((port, index) => {
    const field = `${path}[${index}]`;
    const errors = portName(at(port, field, 'name'));
    const name = valueAt(port, 'name');
    if (!isEmpty(name) && portNameErrors(scalarText(name)).length === 0) {
      if (names.has(name)) errors.push(duplicateField(`${field}.name`, name));
      names.add(name);
    }
    const number = valueAt(port, 'containerPort');
    errors.push(...(number === undefined || number === 0 ? [requiredField(`${field}.containerPort`, '')] : []));
    if (number !== 0) errors.push(...portNumber([`${field}.containerPort`, number]));
    const hostPort = valueAt(port, 'hostPort');
    if (hostPort !== 0) errors.push(...portNumber([`${field}.hostPort`, hostPort]));
    errors.push(...oneOf(at(port, field, 'protocol'), PROTOCOLS));
    return errors;
  });
}

/** Fields of the internal type, in the order in which upstream writes them into messages. */
const SECURITY_FIELDS = [
  'Capabilities',
  'Privileged',
  'SELinuxOptions',
  'WindowsOptions',
  'RunAsUser',
  'RunAsGroup',
  'RunAsNonRoot',
  'ReadOnlyRootFilesystem',
  'AllowPrivilegeEscalation',
  'ProcMount',
  'SeccompProfile',
  'AppArmorProfile',
];

function securityErrors(field: string, context: unknown): FieldError[] {
  if (context === undefined) return [];
  const errors = ['runAsUser', 'runAsGroup'].flatMap((name) => between(at(context, field, name), 0));
  errors.push(
    ...supported(at(context, field, 'procMount'), ['Default', 'Unmasked']),
    ...seccompErrors(...at(context, field, 'seccompProfile')),
  );
  if (valueAt(context, 'allowPrivilegeEscalation') === false && valueAt(context, 'privileged') === true) {
    const internal = SECURITY_FIELDS.map((name) => {
      const external = name === 'SELinuxOptions' ? 'seLinuxOptions' : name.charAt(0).toLowerCase() + name.slice(1);
      return [name, valueAt(context, external) ?? null] as const;
    });
    const detail = 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true';
    errors.push(invalidField(field, Object.fromEntries(internal), detail));
  }
  return [...errors, ...appArmorErrors(...at(context, field, 'appArmorProfile'))];
}
