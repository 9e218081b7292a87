import { randomUUID } from 'node:crypto';
import type { ManagedFieldsEntry } from '../apply/managed-fields.ts';
import { addressNamesOf, allocatedAddress, IP_ADDRESSES, serviceKeyOf } from '../resources/admission/ip-address.ts';
import type { AdmissionContext, Change, ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf, store as storeAs } from '../resources/resource-type.ts';
import { now } from '../resources/timestamp.ts';
import type { ObjectMeta } from '@mcr/client';
import { parseStored } from '../storage/stored-object.ts';
import { removeAddresses } from './delete.ts';
import type { Backend } from './target.ts';

/** The fields that the server sets in an IPAddress. */
const FIELDS = {
  'f:metadata': {
    'f:labels': { '.': {}, 'f:ipaddress.kubernetes.io/ip-family': {}, 'f:ipaddress.kubernetes.io/managed-by': {} },
  },
  'f:spec': { 'f:parentRef': { '.': {}, 'f:name': {}, 'f:namespace': {}, 'f:resource': {} } },
};

/**
 * Stores the IPAddresses that a Service gets from a write, after its cluster IPs were allocated. If the write is refused,
 * they are deleted; if it is stored, those are that the Service had before. (Upstream: `beginCreate` and `beginUpdate` of
 * `pkg/registry/core/service/storage`.)
 */
export function allocateAddresses(
  backend: Backend,
  type: ResourceType,
  { object, previous }: Change,
  hold: AdmissionContext['hold'],
): void {
  if (type.storage !== 'services') return;
  const [after, before] = [object, previous].map((service) => new Set(addressNamesOf(service?.['spec'])));
  if (!after || !before) return;
  // Other updates cannot change cluster IPs.
  const added = before.size === 0 ? [...after] : [];
  const dropped = [...before.difference(after)];
  for (const address of added) addAddress(backend, address, object.metadata);
  if (added.length > 0 || dropped.length > 0) {
    hold((isStored) => removeAddresses(backend, isStored ? dropped : added));
  }
}

/**
 * Makes the IPAddresses match the Services of a journal: it can end between their writes, or be of a release without
 * IPAddresses. (Upstream: `RepairIPAddress`.)
 */
export function repairAddresses(backend: Backend): void {
  const { store } = backend;
  const present = store.resource(IP_ADDRESSES);
  const used = new Map<string, readonly string[]>();
  for (const stored of store.resource('services').list('')) {
    const addresses = addressNamesOf(parseStored(stored)['spec']);
    used.set(stored.key, addresses);
    for (const address of addresses) if (!present.get(address)) addAddress(backend, address, stored);
  }
  for (const stored of present.list('')) {
    const service = serviceKeyOf(parseStored(stored));
    if (service !== undefined && !used.get(service)?.includes(stored.name)) removeAddresses(backend, [stored.name]);
  }
}

function addAddress(
  { store, registry }: Backend,
  address: string,
  service: Pick<ObjectMeta, 'name' | 'namespace'>,
): void {
  const type = registry.storedType(IP_ADDRESSES);
  if (!type) return;
  const { name, labels, spec } = allocatedAddress(address, service);
  const { kind } = type;
  const apiVersion = apiVersionOf(type);
  const time = now();
  const owner: ManagedFieldsEntry = {
    manager: 'kube-apiserver',
    operation: 'Update',
    apiVersion,
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: FIELDS,
  };
  const identity = { name, uid: randomUUID(), creationTimestamp: time, labels, managedFields: [owner] };
  store.write((version) => {
    const metadata = { ...identity, resourceVersion: String(version) };
    return { type: 'ADDED', object: storeAs(type, { kind, apiVersion, metadata, spec }), previous: undefined };
  });
}
