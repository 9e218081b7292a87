import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../status.ts';
import { forbiddenField, invalidField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { subdomainErrors } from '../names.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';

/* Rules and messages follow `pkg/apis/storage/validation`. */

/** Validates an update of a VolumeAttributesClass. */
export function attributesClassErrors({ object, previous }: Change): FieldError[] {
  if (!previous) return [];
  return ['driverName', 'parameters']
    .filter((field) => !isDeepStrictEqual(object[field], previous[field]))
    .map((field) => forbiddenField(field, `updates to ${field} are forbidden.`));
}

/** Validates a CSINode. */
export function csiNodeErrors({ object }: Change): FieldError[] {
  return listAt(object, 'spec.drivers').flatMap((driver, index) =>
    driverNameErrors(`spec.drivers[${index}].name`, valueAt(driver, 'name')),
  );
}

function driverNameErrors(field: string, value: unknown): FieldError[] {
  const name = scalarText(value);
  if (name === '') return [requiredField(field, '')];
  return subdomainErrors(name.toLowerCase()).map((detail) => invalidField(field, name, detail));
}

/** Validates a VolumeAttachment. */
export function volumeAttachmentErrors({ object }: Change): FieldError[] {
  const source = valueAt(object, 'spec.source') ?? {};
  const hasSource = ['inlineVolumeSpec', 'persistentVolumeName'].some((field) => valueAt(source, field) !== undefined);
  const missing = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  return [
    ...driverNameErrors('spec.attacher', valueAt(object, 'spec.attacher')),
    ...(hasSource ? [] : [requiredField('spec.source', missing)]),
    ...subdomainField('spec.nodeName', valueAt(object, 'spec.nodeName')),
  ];
}

/** Validates a CSIStorageCapacity. */
export function storageCapacityErrors({ object }: Change): FieldError[] {
  return subdomainField('storageClassName', object['storageClassName']);
}

/** An absent name is an empty one. */
function subdomainField(field: string, value: unknown): FieldError[] {
  const name = scalarText(value);
  return subdomainErrors(name).map((detail) => invalidField(field, name, detail));
}
