import type { JsonObject } from '../storage/stored-object.ts';
import { scalarText, valueAt } from './resource-type.ts';
import { listAt } from './cells.ts';

type Conversion = (status: JsonObject, spec: unknown) => void;

/** Conversions of the status when it is decoded, by kind. */
const conversions: Readonly<Record<string, Conversion>> = {
  Pod: synchronizePodAddresses,
  CustomResourceDefinition: setStoredVersions,
};

/** Changes a status in place as a real server does when it decodes it. */
export function convertStatus(kind: string, status: JsonObject, spec: unknown): void {
  if (Object.hasOwn(conversions, kind)) conversions[kind]?.(status, spec);
}

/** `podIP` is the first of `podIPs`. If both are set and differ, `podIP` replaces the list. */
function synchronizePodAddresses(status: JsonObject): void {
  const first = scalarText(valueAt(listAt(status, 'podIPs')[0], 'ip'));
  const address = scalarText(status['podIP']);
  if (address === '') {
    if (first !== '') status['podIP'] = first;
  } else if (address !== first) status['podIPs'] = [{ ip: address }];
}

function setStoredVersions(status: JsonObject, spec: unknown): void {
  if (listAt(status, 'storedVersions').length > 0) return;
  const stored = listAt(spec, 'versions').find((version) => valueAt(version, 'storage') === true);
  if (stored !== undefined) status['storedVersions'] = [valueAt(stored, 'name')];
}
