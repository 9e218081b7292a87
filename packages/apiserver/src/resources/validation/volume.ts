import type { FieldError } from '../../status.ts';
import { duplicateField, invalidField, notFoundField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { valueAt } from '../resource-type.ts';
import { dnsLabelErrors } from '../names.ts';
import { localPathErrors } from './file-path.ts';
import { required, requiredText } from './rules.ts';
import { sourceErrors } from './volume-source.ts';

/** Validates the volumes of a Pod. Returns their errors, and the names of the valid ones. */
export function volumeErrors(path: string, spec: unknown): { errors: FieldError[]; names: ReadonlySet<unknown> } {
  const errors: FieldError[] = [];
  const names = new Set<unknown>();
  for (const [index, volume] of listAt(spec, 'volumes').entries()) {
    const field = `${path}.volumes[${index}]`;
    const name = valueAt(volume, 'name');
    const own = [...sourceErrors(field, volume, 'Pod'), ...requiredText([`${field}.name`, name], dnsLabelErrors)];
    if (names.has(name)) own.push(duplicateField(`${field}.name`, name));
    if (own.length === 0) names.add(name);
    errors.push(...own);
  }
  return { errors, names };
}

/** Validates the volume mounts of a container (upstream: `ValidateVolumeMounts`). */
export function mountErrors(path: string, container: unknown, volumes: ReadonlySet<unknown>): FieldError[] {
  const paths = new Set<unknown>();
  const list = `${path}.volumeMounts`;
  return listAt(container, 'volumeMounts').flatMap((mount, index) => {
    const field = `${list}[${index}]`;
    const name = valueAt(mount, 'name') ?? '';
    const mountPath = valueAt(mount, 'mountPath') ?? '';
    const errors = required([`${field}.name`, name]);
    if (!volumes.has(name)) errors.push(notFoundField(`${field}.name`, name));
    if (mountPath === '') errors.push(requiredField(`${field}.mountPath`, ''));
    if (paths.has(mountPath)) errors.push(invalidField(`${field}.mountPath`, mountPath, 'must be unique'));
    paths.add(mountPath);
    // Upstream leaves the index out.
    for (const place of ['subPath', 'subPathExpr']) {
      errors.push(...localPathErrors([`${list}.${place}`, valueAt(mount, place)], { isReservedAllowed: true }));
    }
    return errors;
  });
}
