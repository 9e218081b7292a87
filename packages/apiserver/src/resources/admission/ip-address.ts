import type { ObjectMeta } from '@mcr/client';
import type { ApiObject } from '../../storage/stored-object.ts';
import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { addressText, familyOf } from '../validation/ip-address.ts';

/** Name of the store of IPAddresses. */
export const IP_ADDRESSES = 'ipaddresses.networking.k8s.io';

const FAMILY = 'ipaddress.kubernetes.io/ip-family';
const MANAGED_BY = 'ipaddress.kubernetes.io/managed-by';
const ALLOCATOR = 'ipallocator.k8s.io';

/** Returns the names of the IPAddresses of a Service: its cluster IPs as Go writes them. */
export function addressNamesOf(spec: unknown): string[] {
  if (valueAt(spec, 'type') === 'ExternalName') return [];
  const addresses = listAt(spec, 'clusterIPs').map(scalarText);
  return addresses.filter((address) => address !== '' && address !== 'None').map(addressText);
}

/** Fields that the server sets in the IPAddress of a Service. */
interface AllocatedAddress {
  readonly name: string;
  readonly labels: Record<string, string>;
  readonly spec: { readonly parentRef: Readonly<Record<'resource' | 'namespace' | 'name', string>> };
}

/** Returns the IPAddress of a Service (upstream: `createIPAddress` of `pkg/registry/core/service/ipallocator`). */
export function allocatedAddress(
  address: string,
  { namespace = '', name }: Pick<ObjectMeta, 'namespace' | 'name'>,
): AllocatedAddress {
  return {
    name: address,
    labels: { [FAMILY]: familyOf(address) ?? '', [MANAGED_BY]: ALLOCATOR },
    spec: { parentRef: { resource: 'services', namespace, name } },
  };
}

/** Returns the key of the Service to which the server allocated an IPAddress; `undefined` for one of a client. */
export function serviceKeyOf({ metadata: { labels }, spec }: ApiObject): string | undefined {
  const of = (field: string): string => scalarText(valueAt(spec, `parentRef.${field}`));
  if (labels?.[MANAGED_BY] !== ALLOCATOR || of('group') !== '' || of('resource') !== 'services') return undefined;
  return `${of('namespace')}/${of('name')}`;
}
