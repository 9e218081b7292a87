import type { FieldError } from '../../status.ts';
import { forbiddenField, invalidField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { fieldReferenceErrors, resourceReferenceErrors } from './environment.ts';
import { keyToPathErrors, localPathErrors, modeErrors } from './file-path.ts';
import { at, isEmpty, required } from './rules.ts';

/** Fields of a Pod that files can have the value of. */
const POD_FIELDS = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'];

const LONGEST_TOKEN = 2 ** 32;

/** Validates one file of the downward API (upstream: `validateDownwardAPIVolumeFile`). */
export function downwardFileErrors(path: string, file: unknown): FieldError[] {
  const [field, resource] = [valueAt(file, 'fieldRef'), valueAt(file, 'resourceFieldRef')];
  const errors = [...required(at(file, path, 'path')), ...localPathErrors(at(file, path, 'path'))];
  if (field !== undefined) {
    errors.push(...fieldReferenceErrors(`${path}.fieldRef`, field, POD_FIELDS));
    if (resource !== undefined) {
      errors.push(invalidField(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
    }
  } else if (resource === undefined) {
    errors.push(requiredField(path, 'one of fieldRef and resourceFieldRef is required'));
  } else errors.push(...resourceReferenceErrors(`${path}.resourceFieldRef`, resource, { needsContainer: true }));
  return [...errors, ...modeErrors(at(file, path, 'mode'))];
}

/** Validates a projected volume (upstream: `validateProjectedVolumeSource`). */
export function projectionErrors(path: string, projection: unknown): FieldError[] {
  const paths = new Set<string>();
  const taken = (file: string, shown: unknown): FieldError[] => {
    if (file === '') return [];
    if (paths.has(file)) return [invalidField(path, shown ?? '', 'conflicting duplicate paths')];
    paths.add(file);
    return [];
  };
  const sources = listAt(projection, 'sources').flatMap((source, index) => {
    const field = `${path}.sources[${index}]`;
    return [
      ...['secret', 'configMap'].flatMap((name) => keysErrors(`${field}.${name}`, valueAt(source, name), taken)),
      ...listAt(source, 'downwardAPI.items').flatMap((file) => [
        ...downwardFileErrors(`${field}.downwardAPI`, file),
        ...taken(scalarText(valueAt(file, 'path')), valueAt(file, 'path')),
      ]),
      ...tokenErrors(path, `${field}.serviceAccountToken`, valueAt(source, 'serviceAccountToken')),
      ...bundleErrors(`${field}.clusterTrustBundle`, valueAt(source, 'clusterTrustBundle'), taken),
      ...(Object.keys(source as object).length > 1
        ? [forbiddenField(field, 'may not specify more than 1 volume type per source')]
        : []),
    ];
  });
  return [...modeErrors(at(projection, path, 'defaultMode')), ...sources];
}

type Taken = (file: string, shown: unknown) => FieldError[];

function keysErrors(field: string, source: unknown, taken: Taken): FieldError[] {
  if (source === undefined) return [];
  const name = valueAt(source, 'name');
  return [
    ...required([`${field}.name`, name]),
    ...listAt(source, 'items').flatMap((item, index) => [
      ...keyToPathErrors(`${field}.items[${index}]`, item),
      ...taken(scalarText(valueAt(item, 'path')), name),
    ]),
  ];
}

function tokenErrors(volume: string, field: string, token: unknown): FieldError[] {
  if (token === undefined) return [];
  const seconds = Number(valueAt(token, 'expirationSeconds') ?? 0);
  const why =
    seconds < 600
      ? 'may not specify a duration less than 10 minutes'
      : seconds > LONGEST_TOKEN
        ? 'may not specify a duration larger than 2^32 seconds'
        : undefined;
  // Upstream leaves the source out of the path.
  const path = at(token, volume, 'path');
  return [
    ...(why === undefined ? [] : [invalidField(`${field}.expirationSeconds`, seconds, why)]),
    ...(isEmpty(path[1]) ? [requiredField(path[0], '')] : localPathErrors(path)),
  ];
}

function bundleErrors(field: string, bundle: unknown, taken: Taken): FieldError[] {
  if (bundle === undefined) return [];
  const hasSource = ['name', 'signerName'].some((name) => valueAt(bundle, name) !== undefined);
  const path = at(bundle, field, 'path');
  return [
    ...(hasSource ? [] : [requiredField(field, 'either name or signerName must be specified')]),
    ...required(path),
    ...localPathErrors(path),
    ...taken(scalarText(path[1]), path[1]),
  ];
}
