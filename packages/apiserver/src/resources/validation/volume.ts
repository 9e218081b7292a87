import type { FieldError } from '../../status.ts';
import { duplicateField, invalidField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { dnsLabelErrors, subdomainErrors } from '../names.ts';
import { isEmpty, requiredText } from './rules.ts';
import { sourceErrors } from './volume-source.ts';

/** Valid volumes of a Pod, by their names. */
export type Volumes = ReadonlyMap<unknown, unknown>;

/**
 * Validates the volumes of a Pod. Returns their errors, and the valid volumes.
 *
 * @param podName name of the Pod; `undefined` for a template.
 */
export function volumeErrors(
  path: string,
  spec: unknown,
  podName: string | undefined,
): { errors: FieldError[]; volumes: Volumes } {
  const errors: FieldError[] = [];
  const volumes = new Map<unknown, unknown>();
  for (const [index, volume] of listAt(spec, 'volumes').entries()) {
    const field = `${path}.volumes[${index}]`;
    const name = valueAt(volume, 'name');
    const image = valueAt(volume, 'image');
    const isNameless = podName !== undefined && image !== undefined && isEmpty(valueAt(image, 'reference'));
    const missing = isNameless ? [requiredField(`${field}.image.reference`, '')] : [];
    const own = [
      ...missing,
      ...sourceErrors(field, volume, 'Pod'),
      ...longNameErrors(field, volume),
      ...(podName === undefined ? [] : claimNameErrors(field, volume, podName)),
      ...requiredText([`${field}.name`, name], dnsLabelErrors),
    ];
    if (volumes.has(name)) own.push(duplicateField(`${field}.name`, name));
    if (own.length === 0) volumes.set(name, volume);
    errors.push(...own);
  }
  return { errors, volumes };
}

/** The claim of an ephemeral volume is named after the Pod and the volume. */
function claimNameErrors(field: string, volume: unknown, podName: string): FieldError[] {
  const name = scalarText(valueAt(volume, 'name'));
  if (valueAt(volume, 'ephemeral') === undefined || podName === '' || name === '') return [];
  const claim = `${podName}-${name}`;
  return subdomainErrors(claim).map((detail) =>
    invalidField(`${field}.name`, name, `PVC name ${JSON.stringify(claim)}: ${detail}`),
  );
}

const LONGEST_INITIATOR = 64;

/** An iSCSI volume with an initiator is known by its name and its portal. */
function longNameErrors(field: string, volume: unknown): FieldError[] {
  if (valueAt(volume, 'iscsi.initiatorName') === undefined) return [];
  const name = scalarText(valueAt(volume, 'name'));
  const text = `${name}:${scalarText(valueAt(volume, 'iscsi.targetPortal'))}`;
  if (text.length <= LONGEST_INITIATOR) return [];
  const detail =
    'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
  return [invalidField(`${field}.name`, name, detail)];
}
