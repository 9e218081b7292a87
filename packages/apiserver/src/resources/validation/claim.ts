import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../status.ts';
import { forbiddenField, invalidField, requiredField, unsupportedField } from '../../status.ts';
import type { JsonObject } from '../../storage/stored-object.ts';
import { listAt } from '../cells.ts';
import { parseQuantity } from '../quantity.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { oneOf, qualifiedName, required } from './rules.ts';
import { selectorErrors } from './selector.ts';

const MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** Validates a PersistentVolumeClaim (upstream: `ValidatePersistentVolumeClaim` and its update). */
export function claimErrors({ object, previous }: Change): FieldError[] {
  const spec = object['spec'] as JsonObject;
  const errors = [
    ...modeErrors(spec, 'at least 1 access mode is required'),
    ...selectorErrors(['spec.selector', spec['selector']]),
  ];
  const storage = valueAt(spec, 'resources.requests.storage');
  if (storage === undefined) errors.push(requiredField('spec.resources[storage]', ''));
  else if ((parseQuantity(storage)?.nano ?? 0n) <= 0n) {
    errors.push(invalidField('spec.resources[storage]', storage, 'must be greater than zero'));
  }
  errors.push(...oneOf(['spec.volumeMode', spec['volumeMode']], ['Block', 'Filesystem']));
  if (previous && !isDeepStrictEqual(fixed(spec, previous), fixed(previous['spec'] as JsonObject, previous))) {
    const detail =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    errors.push(forbiddenField('spec', detail));
  }
  return errors;
}

/** Returns the part of a claim's spec that does not change. A claim without a volume or class may get one. */
function fixed(
  { volumeAttributesClassName: _class, resources, ...spec }: JsonObject,
  previous: Change['object'],
): object {
  const before = previous['spec'] as JsonObject;
  const isBound = valueAt(previous, 'status.phase') === 'Bound';
  return {
    ...spec,
    volumeName: before['volumeName'] ?? undefined,
    storageClassName: before['storageClassName'] ?? undefined,
    ...(isBound ? {} : { resources }),
  };
}

function modeErrors(spec: JsonObject, missing: string): FieldError[] {
  const modes = listAt(spec, 'accessModes').map(scalarText);
  if (modes.length === 0) return [requiredField('spec.accessModes', missing)];
  return modes.filter((mode) => !MODES.includes(mode)).map((mode) => unsupportedField('spec.accessModes', mode, MODES));
}

/** Fields of a PersistentVolume's spec that are not its source. */
const NOT_A_SOURCE = new Set([
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
]);

/** Validates a PersistentVolume (upstream: `ValidatePersistentVolumeSpec`). */
export function volumeErrors({ object, previous }: Change): FieldError[] {
  const spec = object['spec'] as JsonObject;
  const sources = Object.keys(spec).filter((field) => !NOT_A_SOURCE.has(field));
  const capacity = (spec['capacity'] ?? {}) as JsonObject;
  const errors = modeErrors(spec, '');
  if (Object.keys(capacity).length === 0) errors.push(requiredField('spec.capacity', ''));
  if (capacity['storage'] === undefined || Object.keys(capacity).length > 1) {
    errors.push(unsupportedField('spec.capacity', spec['capacity'] ?? null, ['storage']));
  }
  if (sources.length === 0) errors.push(requiredField('spec', 'must specify a volume type'));
  for (const source of sources.slice(1)) {
    errors.push(forbiddenField(`spec.${source}`, 'may not specify more than 1 volume type'));
  }
  errors.push(
    ...oneOf(
      ['spec.persistentVolumeReclaimPolicy', spec['persistentVolumeReclaimPolicy']],
      ['Delete', 'Recycle', 'Retain'],
    ),
  );
  const [source] = sources;
  if (previous && source !== undefined && !isDeepStrictEqual(spec[source], valueAt(previous, `spec.${source}`))) {
    errors.push(
      forbiddenField('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation'),
    );
  }
  return errors;
}

/** Validates a StorageClass. */
export function storageClassErrors({ object, previous }: Change): FieldError[] {
  const provisioner = scalarText(object['provisioner']);
  const errors = [
    ...required(['provisioner', provisioner]),
    ...qualifiedName(['provisioner', provisioner.toLowerCase()]),
    ...oneOf(['reclaimPolicy', object['reclaimPolicy']], ['Delete', 'Retain']),
    ...oneOf(['volumeBindingMode', object['volumeBindingMode']], ['Immediate', 'WaitForFirstConsumer']),
  ];
  if (!previous) return errors;
  const changed = (field: string): boolean => !isDeepStrictEqual(object[field], previous[field]);
  if (changed('parameters')) errors.push(forbiddenField('parameters', 'updates to parameters are forbidden.'));
  if (changed('provisioner')) errors.push(forbiddenField('provisioner', 'updates to provisioner are forbidden.'));
  if (changed('reclaimPolicy')) errors.push(forbiddenField('reclaimPolicy', 'updates to reclaimPolicy are forbidden.'));
  if (changed('volumeBindingMode'))
    errors.push(invalidField('volumeBindingMode', object['volumeBindingMode'], 'field is immutable'));
  return errors;
}
