import { posix } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { emptyCollection } from '../../schema/empty-collections.ts';
import type { FieldError } from '../../status.ts';
import { forbiddenField, invalidField, requiredField, unsupportedField } from '../../status.ts';
import type { JsonObject } from '../../storage/stored-object.ts';
import { listAt } from '../cells.ts';
import { subdomainErrors } from '../names.ts';
import { formatQuantity, parseQuantity } from '../quantity.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { nodeSelectorErrors } from './affinity.ts';
import { accessModeErrors } from './claim.ts';
import { IMMUTABLE, oneOf, subdomain, supported, textIfSet, unchanged } from './rules.ts';
import { sourceErrors, sourcesOf } from './volume-source.ts';

/** Validates a PersistentVolume (upstream: `ValidatePersistentVolume` and its update). */
export function volumeErrors({ object, previous, subresource, warn }: Change): FieldError[] {
  if (subresource === 'status') return [];
  const spec = object['spec'] as JsonObject;
  const own = specErrors(spec);
  const errors = [...own, ...mountOptionErrors(object)];
  // A real server checks the spec of a changed volume twice, and lists each cause twice.
  if (previous) errors.push(...own, ...changeErrors(spec, previous['spec'] as JsonObject));
  if (errors.length === 0) for (const warning of volumeWarnings(object)) warn?.(warning);
  return errors;
}

function specErrors(spec: JsonObject): FieldError[] {
  const place = (field: string): readonly [string, unknown] => [`spec.${field}`, spec[field]];
  const affinity = spec['nodeAffinity'];
  const sources = sourcesOf(spec, 'PersistentVolume');
  const path = scalarText(valueAt(spec, 'hostPath.path'));
  const isRoot = path !== '' && /^\/$/u.test(posix.normalize(path));
  return [
    ...(listAt(spec, 'accessModes').length === 0 ? [requiredField('spec.accessModes', '')] : []),
    ...accessModeErrors('spec.accessModes', spec),
    ...capacityErrors(spec['capacity'] ?? emptyCollection(spec, 'capacity')),
    ...oneOf(place('persistentVolumeReclaimPolicy'), ['Delete', 'Recycle', 'Retain']),
    ...affinityErrors(affinity),
    ...sourceErrors('spec', spec, 'PersistentVolume'),
    ...(sources[0] === 'local' && affinity === undefined
      ? [requiredField('spec.nodeAffinity', 'Local volume requires node affinity')]
      : []),
    ...(isRoot && spec['persistentVolumeReclaimPolicy'] === 'Recycle'
      ? [forbiddenField('spec.persistentVolumeReclaimPolicy', "may not be 'recycle' for a hostPath mount of '/'")]
      : []),
    ...subdomain(place('storageClassName')),
    ...supported(place('volumeMode'), ['Block', 'Filesystem']),
    ...attributesClassErrors(spec),
  ];
}

function capacityErrors(value: unknown): FieldError[] {
  const capacity = Object.entries((value ?? {}) as JsonObject);
  const isStorage = capacity.length === 1 && capacity[0]?.[0] === 'storage';
  return [
    ...(capacity.length === 0 ? [requiredField('spec.capacity', '')] : []),
    ...(isStorage ? [] : [unsupportedField('spec.capacity', value ?? null, ['storage'])]),
    ...capacity.flatMap(([name, amount]) => {
      const quantity = parseQuantity(amount);
      if (quantity && quantity.nano > 0n) return [];
      const field = `spec.capacity[${name}]`;
      const whole = Number((quantity?.nano ?? 0n) / 1_000_000_000n);
      return [
        ...(whole < 0 ? [invalidField(field, whole, 'must be a valid resource quantity')] : []),
        invalidField(field, quantity ? formatQuantity(quantity) : '0', 'must be greater than zero'),
      ];
    }),
  ];
}

function affinityErrors(affinity: unknown): FieldError[] {
  if (affinity === undefined) return [];
  const selector = valueAt(affinity, 'required');
  const field = 'spec.nodeAffinity.required';
  return selector === undefined
    ? [requiredField(field, 'must specify required node constraints')]
    : nodeSelectorErrors(field, selector);
}

function attributesClassErrors(spec: JsonObject): FieldError[] {
  const name = spec['volumeAttributesClassName'];
  const field = 'spec.volumeAttributesClassName';
  if (name === undefined) return [];
  return [
    ...(name === ''
      ? [requiredField(field, 'an empty string is disallowed')]
      : textIfSet([field, name], subdomainErrors)),
    ...(spec['csi'] === undefined
      ? [requiredField('spec.csi', 'has to be specified when using volumeAttributesClassName')]
      : []),
  ];
}

const MOUNT_OPTIONS = 'volume.beta.kubernetes.io/mount-options';
/** Sources whose volumes are mounted with options. */
const MOUNTED = [
  ...['gcePersistentDisk', 'awsElasticBlockStore', 'glusterfs', 'rbd', 'quobyte', 'nfs', 'iscsi', 'cephfs', 'cinder'],
  ...[
    'azureFile',
    'vsphereVolume',
    'azureDisk',
    'storageos',
    'photonPersistentDisk',
    'portworxVolume',
    'scaleIO',
    'csi',
  ],
];

function mountOptionErrors({ metadata, spec }: Change['object']): FieldError[] {
  const field = `metadata.annotations.${MOUNT_OPTIONS}`;
  if (metadata.annotations?.[MOUNT_OPTIONS] === undefined) return [];
  if (MOUNTED.some((source) => valueAt(spec, source) !== undefined)) return [];
  return [forbiddenField(field, 'may not specify mount options for this volume type')];
}

function changeErrors(spec: JsonObject, before: JsonObject): FieldError[] {
  const [affinity, earlier] = [spec['nodeAffinity'], before['nodeAffinity']];
  const [source, was] = [sourceOf(spec), sourceOf(before)];
  if (valueAt(was, 'csi.controllerExpandSecretRef') === undefined) delete source['csi']?.['controllerExpandSecretRef'];
  const isMoved = earlier !== undefined && !isDeepStrictEqual(affinity, earlier);
  const isLost = before['volumeAttributesClassName'] !== undefined && spec['volumeAttributesClassName'] === undefined;
  return [
    ...(isDeepStrictEqual(source, was)
      ? []
      : [forbiddenField('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation')]),
    ...unchanged(['volumeMode', spec['volumeMode']], before['volumeMode']),
    ...(isMoved
      ? [invalidField('nodeAffinity', internal(affinity), `${IMMUTABLE}, except for updating from beta label to GA`)]
      : []),
    ...(isLost
      ? [forbiddenField('spec.volumeAttributesClassName', 'update from non-nil value to nil is forbidden')]
      : []),
  ];
}

function sourceOf(spec: JsonObject): Record<string, JsonObject> {
  const names = sourcesOf(spec, 'PersistentVolume');
  return Object.fromEntries(names.map((name) => [name, { ...(spec[name] as JsonObject) }]));
}

/** Returns which Nodes are selected as the internal type of upstream writes it. */
function internal(affinity: unknown): unknown {
  if (affinity === undefined) return null;
  const requirements = (term: unknown, list: string): unknown => {
    const items = valueAt(term, list);
    if (!Array.isArray(items)) return emptyCollection(term, list) ?? null;
    return items.map((item) => ({
      Key: valueAt(item, 'key') ?? '',
      Operator: valueAt(item, 'operator') ?? '',
      Values: valueAt(item, 'values') ?? emptyCollection(item, 'values') ?? null,
    }));
  };
  const selector = valueAt(affinity, 'required');
  const terms = valueAt(selector, 'nodeSelectorTerms');
  const shown = Array.isArray(terms)
    ? terms.map((term) => ({
        MatchExpressions: requirements(term, 'matchExpressions'),
        MatchFields: requirements(term, 'matchFields'),
      }))
    : (emptyCollection(selector, 'nodeSelectorTerms') ?? null);
  return { Required: selector === undefined ? null : { NodeSelectorTerms: shown } };
}

const DEPRECATED_ANNOTATIONS: Readonly<Record<string, string>> = {
  'volume.beta.kubernetes.io/storage-class': 'deprecated since v1.8; use "storageClassName" attribute instead',
  [MOUNT_OPTIONS]: 'deprecated since v1.31; use "mountOptions" attribute instead',
};

const DEPRECATED_SOURCES: Readonly<Record<string, string>> = {
  cephfs: 'cephfs: deprecated in v1.28, non-functional in v1.31+',
  photonPersistentDisk: 'photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+',
  scaleIO: 'scaleIO: deprecated in v1.16, non-functional in v1.22+',
  storageos: 'storageOS: deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'glusterfs: deprecated in v1.25, non-functional in v1.26+',
  rbd: 'rbd: deprecated in v1.28, non-functional in v1.31+',
};

function volumeWarnings({ metadata, spec }: Change['object']): string[] {
  const recycle =
    'The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';
  return [
    ...Object.entries(DEPRECATED_ANNOTATIONS)
      .filter(([key]) => metadata.annotations?.[key] !== undefined)
      .map(([key, detail]) => `metadata.annotations[${key}]: ${detail}`),
    ...(valueAt(spec, 'persistentVolumeReclaimPolicy') === 'Recycle'
      ? [`spec.persistentVolumeReclaimPolicy: ${recycle}`]
      : []),
    ...Object.entries(DEPRECATED_SOURCES)
      .filter(([source]) => valueAt(spec, source) !== undefined)
      .map(([, detail]) => `spec.${detail}`),
  ];
}
