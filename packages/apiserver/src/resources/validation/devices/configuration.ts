import type { FieldError } from '../../../status.ts';
import { invalidField, requiredField } from '../../../status.ts';
import { valueAt } from '../../resource-type.ts';
import { at } from '../rules.ts';
import { driverNameErrors } from '../volume-source.ts';
import { tooLongField } from './lists.ts';

/** Largest parameters of a driver and largest data of a device, in bytes. */
const LARGEST_DATA = 10 * 1024;

/** Validates the configuration of devices, which only its driver understands (upstream: `validateDeviceConfiguration`). */
export function configurationErrors(path: string, configuration: unknown, isStored = false): FieldError[] {
  const [field, opaque] = at(configuration, path, 'opaque');
  if (opaque === undefined) return [requiredField(field, '')];
  return [
    ...driverNameErrors(at(opaque, field, 'driver')),
    ...dataErrors(`${field}.parameters`, valueAt(opaque, 'parameters'), isStored),
  ];
}

/** Validates data that must be an object (upstream: `validateRawExtension`). */
export function dataErrors(field: string, data: unknown, isStored = false): FieldError[] {
  if (data === undefined || data === null) return [requiredField(field, '')];
  if (!isStored && Buffer.byteLength(JSON.stringify(data)) > LARGEST_DATA) return [tooLongField(field, LARGEST_DATA)];
  if (typeof data === 'object' && !Array.isArray(data)) return [];
  return [invalidField(field, '<value omitted>', 'must be a valid JSON object')];
}
