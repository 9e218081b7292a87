import type { JsonObject } from '../../storage/stored-object.ts';
import { listAt } from '../cells.ts';
import { parseQuantity } from '../quantity.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { addressWarnings } from '../validation/ip-address.ts';
import { APP_ARMOR, SECCOMP_CONTAINER, SECCOMP_POD } from '../validation/pod-annotations.ts';
import { claimSpecWarnings } from './claim.ts';
import { firstIndexes } from './limit.ts';
import { nodeLabelWarnings, nodeTermWarnings } from './node-labels.ts';
import { overlapWarnings } from './overlaps.ts';
import { portWarnings } from './ports.ts';

const NO_PODS = 'a null labelSelector results in matching no pod';
const SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead';
const ANNOTATIONS = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
};
const VOLUMES = {
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  ephemeral: '',
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
};
const SHOWN: Readonly<Record<string, string>> = { storageos: 'storageOS' };

/**
 * Returns the warnings about a Pod or a template (upstream: `pkg/api/pod/warnings.go`), in its order.
 *
 * @param path path of the template; `''` for a Pod.
 */
export function podWarnings(path: string, pod: unknown): string[] {
  const spec = valueAt(pod, 'spec');
  const annotations = (valueAt(pod, 'metadata.annotations') ?? {}) as Readonly<Record<string, string>>;
  const inSpec = path === '' ? 'spec' : `${path}.spec`;
  const inAnnotations = path === '' ? 'metadata.annotations' : `${path}.metadata.annotations`;
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    listAt(spec, list).map((container, index) => [`${inSpec}.${list}[${index}]`, container] as const),
  );
  const grace = valueAt(spec, 'terminationGracePeriodSeconds');
  const isNegative = typeof grace === 'number' && grace < 0;
  return [
    ...nodeWarnings(inSpec, spec),
    ...spreadWarnings(inSpec, spec),
    ...Object.entries(ANNOTATIONS)
      .filter(([name]) => annotations[name] !== undefined)
      .map(([name, text]) => `${inAnnotations}[${name}]: ${text}`),
    ...listAt(spec, 'volumes').flatMap((volume, index) => volumeWarnings(`${inSpec}.volumes[${index}]`, volume)),
    ...overlapWarnings(listAt(spec, 'volumes')),
    ...listWarnings(inSpec, spec),
    ...fractionWarnings(`${inSpec}.overhead`, valueAt(spec, 'overhead')),
    ...(annotations[SECCOMP_POD] !== undefined && valueAt(spec, 'securityContext.seccompProfile') === undefined
      ? [`${inAnnotations}[${SECCOMP_POD}]: ${SECCOMP}`]
      : []),
    ...containers.flatMap(([field, container]) => [
      ...annotationWarnings(inAnnotations, annotations, spec, container, path !== ''),
      ...['memory', 'ephemeral-storage'].flatMap((name) =>
        ['limits', 'requests'].flatMap((part) => {
          const amounts = valueAt(container, `resources.${part}`);
          return fractionWarnings(`${field}.resources.${part}`, amounts, [name]);
        }),
      ),
      ...variableWarnings(field, container),
    ]),
    ...portWarnings(containers),
    ...(isNegative
      ? [`${inSpec}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...['podAffinity', 'podAntiAffinity'].flatMap((name) =>
      affinityWarnings(`${inSpec}.affinity.${name}`, valueAt(spec, `affinity.${name}`)),
    ),
    ...listAt(spec, 'dnsConfig.nameservers').flatMap((address, index) =>
      addressWarnings(`${inSpec}.dnsConfig.nameservers[${index}]`, scalarText(address)),
    ),
    ...listAt(spec, 'hostAliases').flatMap((alias, index) =>
      addressWarnings(`${inSpec}.hostAliases[${index}].ip`, scalarText(valueAt(alias, 'ip'))),
    ),
  ];
}

function nodeWarnings(path: string, spec: unknown): string[] {
  const field = `${path}.affinity.nodeAffinity`;
  const [required, preferred] = ['required', 'preferred'].map(
    (kind) => `${kind}DuringSchedulingIgnoredDuringExecution`,
  );
  const affinity = valueAt(spec, 'affinity.nodeAffinity');
  return [
    ...Object.keys(valueAt(spec, 'nodeSelector') ?? {}).flatMap((label) =>
      nodeLabelWarnings(label).map((text) => `${path}.nodeSelector[${label}]: ${text}`),
    ),
    ...listAt(affinity, `${required}.nodeSelectorTerms`).flatMap((term, index) =>
      nodeTermWarnings(`${field}.${required}.nodeSelectorTerms[${index}]`, term, false),
    ),
    ...listAt(affinity, `${preferred}`).flatMap((term, index) =>
      nodeTermWarnings(`${field}.${preferred}[${index}].preference`, valueAt(term, 'preference'), true),
    ),
  ];
}

function spreadWarnings(path: string, spec: unknown): string[] {
  return listAt(spec, 'topologySpreadConstraints').flatMap((constraint, index) => {
    const field = `${path}.topologySpreadConstraints[${index}]`;
    const key = scalarText(valueAt(constraint, 'topologyKey'));
    return [
      ...nodeLabelWarnings(key).map((text) => `${field}.topologyKey: ${key} is ${text}`),
      ...(valueAt(constraint, 'labelSelector') === undefined ? [`${field}.labelSelector: ${NO_PODS}`] : []),
    ];
  });
}

function volumeWarnings(field: string, volume: unknown): string[] {
  return Object.entries(VOLUMES).flatMap(([source, text]) => {
    if (valueAt(volume, source) === undefined) return [];
    if (text !== '') return [`${field}.${SHOWN[source] ?? source}: ${text}`];
    const spec = valueAt(volume, 'ephemeral.volumeClaimTemplate.spec');
    return claimSpecWarnings(`${field}.ephemeral.volumeClaimTemplate.spec`, spec);
  });
}

/** Items of lists that are there twice. */
function listWarnings(path: string, spec: unknown): string[] {
  const twice = (list: string, key: string): string[] => {
    const texts = listAt(spec, list).map((item) => scalarText(valueAt(item, key)));
    const first = firstIndexes(texts);
    return texts.flatMap((text, index) =>
      first[index] !== index ? [`${path}.${list}[${index}].${key}: duplicate ${key} ${JSON.stringify(text)}`] : [],
    );
  };
  const unnamed = listAt(spec, 'imagePullSecrets').flatMap((secret, index) =>
    scalarText(valueAt(secret, 'name')) === ''
      ? [`${path}.imagePullSecrets[${index}].name: invalid empty name ""`]
      : [],
  );
  return [...twice('hostAliases', 'ip'), ...twice('imagePullSecrets', 'name'), ...unnamed];
}

const BYTES = ['memory', 'ephemeral-storage'];

function fractionWarnings(field: string, amounts: unknown, names: readonly string[] = BYTES): string[] {
  return names.flatMap((name) => {
    const amount = ((amounts ?? {}) as JsonObject)[name];
    // Upstream looks at thousandths, and rounds up.
    const quantity = parseQuantity(amount);
    const rest = quantity ? ((quantity.nano + 999_999n) / 1_000_000n) % 1000n : 0n;
    if (rest === 0n) return [];
    return [
      `${field}[${name}]: fractional byte value ${JSON.stringify(scalarText(amount))} is invalid, must be an integer`,
    ];
  });
}

function annotationWarnings(
  field: string,
  annotations: Readonly<Record<string, string>>,
  spec: unknown,
  container: unknown,
  isTemplate: boolean,
): string[] {
  const name = scalarText(valueAt(container, 'name'));
  const [seccomp, armor] = [`${SECCOMP_CONTAINER}${name}`, `${APP_ARMOR}${name}`];
  const hasSeccomp = valueAt(container, 'securityContext.seccompProfile') !== undefined;
  const profile = annotations[armor];
  const hasArmor = valueAt(container, 'securityContext.appArmorProfile') !== undefined;
  const isObsolete = isTemplate && !hasArmor && profile !== undefined;
  return [
    ...(annotations[seccomp] !== undefined && !hasSeccomp ? [`${field}[${seccomp}]: ${SECCOMP}`] : []),
    ...(isObsolete && !isSameProfile(profile, valueAt(spec, 'securityContext.appArmorProfile'))
      ? [`${field}[${armor}]: deprecated since v1.30; use the "appArmorProfile" field instead`]
      : []),
  ];
}

/** Reports whether an annotation says the same as the profile of the Pod. */
function isSameProfile(annotation: string, profile: unknown): boolean {
  const [type, local] = ['type', 'localhostProfile'].map((field) => valueAt(profile, field));
  if (annotation === 'unconfined') return type === 'Unconfined' && local === undefined;
  if (annotation === 'runtime/default') return type === 'RuntimeDefault' && local === undefined;
  return type === 'Localhost' && annotation === `localhost/${scalarText(local)}`;
}

/** Variables that hide earlier ones. */
function variableWarnings(field: string, container: unknown): string[] {
  const names = listAt(container, 'env').map((variable) => scalarText(valueAt(variable, 'name')));
  const first = firstIndexes(names);
  return listAt(container, 'env').flatMap((variable, index) => {
    const name = names[index] ?? '';
    if (first[index] === index) return [];
    const value = scalarText(valueAt(variable, 'value'));
    const reference = `$(${name})`;
    const extends_ = valueAt(variable, 'valueFrom') === undefined && value !== reference && value.includes(reference);
    if (extends_) return [];
    const text = `hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`;
    return [`${field}.env[${index}]: ${text}`];
  });
}

function affinityWarnings(field: string, affinity: unknown): string[] {
  const [required, preferred] = ['required', 'preferred'].map(
    (kind) => `${kind}DuringSchedulingIgnoredDuringExecution`,
  );
  const lacks = (term: unknown): boolean => valueAt(term, 'labelSelector') === undefined;
  return [
    ...listAt(affinity, `${required}`).flatMap((term, index) =>
      lacks(term) ? [`${field}.${required}[${index}].labelSelector: ${NO_PODS}`] : [],
    ),
    ...listAt(affinity, `${preferred}`).flatMap((term, index) =>
      lacks(valueAt(term, 'podAffinityTerm'))
        ? [`${field}.${preferred}[${index}].podAffinityTerm.labelSelector: ${NO_PODS}`]
        : [],
    ),
  ];
}
