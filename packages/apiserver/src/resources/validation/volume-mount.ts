import type { FieldError } from '../../status.ts';
import { forbiddenField, invalidField, notFoundField, requiredField, unsupportedField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { localPathErrors } from './file-path.ts';
import { required } from './rules.ts';
import type { Volumes } from './volume.ts';

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];
const RECURSIVE = ['Disabled', 'Enabled', 'IfPossible'];

/** Validates the volume mounts of a container (upstream: `ValidateVolumeMounts`). */
export function mountErrors(path: string, container: unknown, volumes: Volumes): FieldError[] {
  const paths = new Set<unknown>();
  const list = `${path}.volumeMounts`;
  const devices = pairs(container, 'volumeDevices', 'devicePath');
  return listAt(container, 'volumeMounts').flatMap((mount, index) => {
    const field = `${list}[${index}]`;
    const name = scalarText(valueAt(mount, 'name'));
    const mountPath = scalarText(valueAt(mount, 'mountPath'));
    const errors = required([`${field}.name`, name]);
    if (!volumes.has(name)) errors.push(notFoundField(`${field}.name`, name));
    if (mountPath === '') errors.push(requiredField(`${field}.mountPath`, ''));
    if (paths.has(mountPath)) errors.push(invalidField(`${field}.mountPath`, mountPath, 'must be unique'));
    paths.add(mountPath);
    if (devices.has(name)) errors.push(invalidField(`${field}.name`, name, 'must not already exist in volumeDevices'));
    if ([...devices.values()].includes(mountPath)) {
      errors.push(invalidField(`${field}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices'));
    }
    return [...errors, ...subPathErrors(list, field, mount), ...modeErrors(list, mount, container)];
  });
}

/** Upstream leaves the index out of some paths. */
function subPathErrors(list: string, field: string, mount: unknown): FieldError[] {
  const [path, expression] = ['subPath', 'subPathExpr'].map((name) => scalarText(valueAt(mount, name)));
  const isBoth = path !== '' && expression !== '';
  return [
    ...localPathErrors([`${list}.subPath`, path], { isReservedAllowed: true }),
    ...(isBoth
      ? [invalidField(`${field}.subPathExpr`, expression, 'subPathExpr and subPath are mutually exclusive')]
      : []),
    ...localPathErrors([`${list}.subPathExpr`, expression], { isReservedAllowed: true }),
  ];
}

function modeErrors(list: string, mount: unknown, container: unknown): FieldError[] {
  const [propagation, recursive] = ['mountPropagation', 'recursiveReadOnly'].map((name) => valueAt(mount, name));
  const errors: FieldError[] = [];
  const field = `${list}.mountPropagation`;
  if (propagation !== undefined && !PROPAGATIONS.includes(scalarText(propagation))) {
    errors.push(unsupportedField(field, propagation, PROPAGATIONS));
  }
  if (propagation === 'Bidirectional' && valueAt(container, 'securityContext.privileged') !== true) {
    errors.push(forbiddenField(field, 'Bidirectional mount propagation is available only to privileged containers'));
  }
  if (recursive === undefined || recursive === 'Disabled') return errors;
  const place = `${list}.recursiveReadOnly`;
  if (!RECURSIVE.includes(scalarText(recursive))) return [...errors, unsupportedField(place, recursive, RECURSIVE)];
  if (valueAt(mount, 'readOnly') !== true) {
    errors.push(forbiddenField(place, 'may only be specified when readOnly is true'));
  }
  if (propagation !== undefined && propagation !== 'None') {
    errors.push(forbiddenField(place, 'may only be specified when mountPropagation is None or not specified'));
  }
  return errors;
}

/** Validates the block devices of a container (upstream: `ValidateVolumeDevices`). */
export function deviceErrors(path: string, container: unknown, volumes: Volumes): FieldError[] {
  const [names, paths] = [new Set<string>(), new Set<string>()];
  const mounts = pairs(container, 'volumeMounts', 'mountPath');
  return listAt(container, 'volumeDevices').flatMap((device, index) => {
    const field = `${path}.volumeDevices[${index}]`;
    const [name = '', devicePath = ''] = ['name', 'devicePath'].map((each) => scalarText(valueAt(device, each)));
    const [ofName, ofPath] = [`${field}.name`, `${field}.devicePath`];
    const errors = required([ofName, name]);
    if (names.has(name)) errors.push(invalidField(ofName, name, 'must be unique'));
    const isBlock = ['persistentVolumeClaim', 'ephemeral'].some(
      (source) => valueAt(volumes.get(name), source) !== undefined,
    );
    if (!volumes.has(name)) errors.push(notFoundField(ofName, name));
    else if (!isBlock) {
      const detail = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
      errors.push(invalidField(ofName, name, detail));
    }
    errors.push(...required([ofPath, devicePath]));
    if (paths.has(devicePath)) errors.push(invalidField(ofPath, devicePath, 'must be unique'));
    if (devicePath.split('/').includes('..')) {
      errors.push(invalidField(ofPath, devicePath, "can not contain backsteps ('..')"));
    } else paths.add(devicePath);
    if (mounts.has(name)) errors.push(invalidField(ofName, name, 'must not already exist in volumeMounts'));
    if ([...mounts.values()].includes(devicePath)) {
      errors.push(invalidField(ofPath, devicePath, 'must not already exist as a path in volumeMounts'));
    }
    if (name !== '') names.add(name);
    return errors;
  });
}

/** Returns the paths of mounts or devices by the names of their volumes. */
function pairs(container: unknown, list: string, path: string): ReadonlyMap<string, string> {
  return new Map(
    listAt(container, list).map((item) => [scalarText(valueAt(item, 'name')), scalarText(valueAt(item, path))]),
  );
}
