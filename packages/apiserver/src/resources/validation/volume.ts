import type { FieldError } from '../../status.ts';
import { duplicateField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { valueAt } from '../resource-type.ts';
import { dnsLabelErrors } from '../names.ts';
import { isEmpty, requiredText } from './rules.ts';
import { sourceErrors } from './volume-source.ts';

/** Valid volumes of a Pod, by their names. */
export type Volumes = ReadonlyMap<unknown, unknown>;

/**
 * Validates the volumes of a Pod. Returns their errors, and the valid volumes.
 *
 * @param isPod whether they are those of a Pod rather than of a template.
 */
export function volumeErrors(path: string, spec: unknown, isPod: boolean): { errors: FieldError[]; volumes: Volumes } {
  const errors: FieldError[] = [];
  const volumes = new Map<unknown, unknown>();
  for (const [index, volume] of listAt(spec, 'volumes').entries()) {
    const field = `${path}.volumes[${index}]`;
    const name = valueAt(volume, 'name');
    const image = valueAt(volume, 'image');
    const isNameless = isPod && image !== undefined && isEmpty(valueAt(image, 'reference'));
    const missing = isNameless ? [requiredField(`${field}.image.reference`, '')] : [];
    const own = [
      ...missing,
      ...sourceErrors(field, volume, 'Pod'),
      ...requiredText([`${field}.name`, name], dnsLabelErrors),
    ];
    if (volumes.has(name)) own.push(duplicateField(`${field}.name`, name));
    if (own.length === 0) volumes.set(name, volume);
    errors.push(...own);
  }
  return { errors, volumes };
}
