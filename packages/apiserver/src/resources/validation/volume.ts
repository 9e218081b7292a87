import type { FieldError } from '../../status.ts';
import { duplicateField, forbiddenField, invalidField, notFoundField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { at, dnsLabel, required } from './rules.ts';

const NOT_A_SOURCE = new Set(['name']);

/** Validates the volumes of a Pod. Returns their errors, and the names of the valid ones. */
export function volumeErrors(path: string, spec: unknown): { errors: FieldError[]; names: ReadonlySet<unknown> } {
  const errors: FieldError[] = [];
  const names = new Set<unknown>();
  for (const [index, volume] of listAt(spec, 'volumes').entries()) {
    const field = `${path}.volumes[${index}]`;
    const name = valueAt(volume, 'name');
    const own = [
      ...sourceErrors(field, volume),
      ...required([`${field}.name`, name]),
      ...dnsLabel([`${field}.name`, name]),
    ];
    if (names.has(name)) own.push(duplicateField(`${field}.name`, name));
    if (own.length === 0) names.add(name);
    errors.push(...own);
  }
  return { errors, names };
}

function sourceErrors(field: string, volume: unknown): FieldError[] {
  const sources = Object.keys(volume as object).filter((name) => !NOT_A_SOURCE.has(name));
  const sorted = ['emptyDir', ...sources].filter(
    (name, index, all) => sources.includes(name) && all.indexOf(name) === index,
  );
  const [first, ...others] = sorted;
  return [
    ...(first === undefined ? [] : oneSourceErrors(first, `${field}.${first}`, valueAt(volume, first))),
    ...others.map((name) => forbiddenField(`${field}.${name}`, 'may not specify more than 1 volume type')),
  ];
}

function oneSourceErrors(name: string, field: string, source: unknown): FieldError[] {
  switch (name) {
    case 'hostPath':
      return hostPathErrors(field, source);
    case 'secret':
      return [...required(at(source, field, 'secretName')), ...itemErrors(field, source)];
    case 'configMap':
      return [...required(at(source, field, 'name')), ...itemErrors(field, source)];
    case 'persistentVolumeClaim':
      return required(at(source, field, 'claimName'));
    case 'nfs':
      return [...required(at(source, field, 'server')), ...required(at(source, field, 'path'))];
    case 'csi':
      return required(at(source, field, 'driver'));
    default:
      return [];
  }
}

function hostPathErrors(field: string, source: unknown): FieldError[] {
  const place = at(source, field, 'path');
  const missing = required(place);
  if (missing.length > 0) return missing;
  const steps = scalarText(place[1]).split('/');
  return steps.includes('..') ? [invalidField(place[0], place[1], "must not contain '..'")] : [];
}

function itemErrors(field: string, source: unknown): FieldError[] {
  return listAt(source, 'items').flatMap((item, index) => {
    const place = `${field}.items[${index}]`;
    const path = valueAt(item, 'path');
    return [
      ...required(at(item, place, 'key')),
      ...required([`${place}.path`, path]),
      ...descendingPathErrors(`${place}.path`, path),
    ];
  });
}

function descendingPathErrors(field: string, path: unknown): FieldError[] {
  const text = scalarText(path);
  if (text.startsWith('/')) return [invalidField(field, path, 'must be a relative path')];
  return text.split('/').includes('..') ? [invalidField(field, path, "must not contain '..'")] : [];
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
    errors.push(...descendingPathErrors(`${list}.subPath`, valueAt(mount, 'subPath')));
    errors.push(...descendingPathErrors(`${list}.subPathExpr`, valueAt(mount, 'subPathExpr')));
    return errors;
  });
}
