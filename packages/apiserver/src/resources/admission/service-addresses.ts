import { isDeepStrictEqual } from 'node:util';
import type { ClusterStore } from '../../storage/cluster-store.ts';
import type { JsonObject, StoredObject } from '../../storage/stored-object.ts';
import { parseStored } from '../../storage/stored-object.ts';
import type { StatusError } from '../../status.ts';
import { internalError, invalid, invalidField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import type { Address, Block } from '../validation/ip-address.ts';
import { addressText, contains, parseAddress, parseBlock } from '../validation/ip-address.ts';
import type { Specs } from './service.ts';
import { isMatchingPreferDualStack } from './service-families.ts';

/** Addresses of Services, as envtest starts kube-apiserver. */
const NETWORK_ADDRESS = '10.0.0.0';
const NETWORK = parseBlock(`${NETWORK_ADDRESS}/24`) as Block;

const RANGES = 'servicecidrs.networking.k8s.io';

/** Returns the blocks of addresses that a cluster has: its first one, and those of ServiceCIDRs that are ready. */
export function serviceBlocks(store: ClusterStore): readonly Block[] {
  const ready = store.resource(RANGES).list('').map(parseStored).filter(isReady);
  const blocks = ready.flatMap((range) => listAt(range, 'spec.cidrs').map((text) => parseBlock(scalarText(text))));
  return [NETWORK, ...blocks.filter((block) => block !== undefined && block.bits === NETWORK.bits)] as Block[];
}

/** A ServiceCIDR without the condition counts as ready: kube-controller-manager sets it. */
function isReady(range: unknown): boolean {
  const condition = listAt(range, 'status.conditions').find((each) => valueAt(each, 'type') === 'Ready');
  return condition === undefined || valueAt(condition, 'status') === 'True';
}

const needsAddress = (spec: JsonObject): boolean => spec['type'] !== 'ExternalName';

/** Keeps the addresses of an update without them, and makes `clusterIPs` follow `clusterIP`. */
export function keepAddresses({ spec, before }: Specs): void {
  const of = (each: JsonObject): readonly unknown[] => listAt(each, 'clusterIPs');
  if (before && needsAddress(spec) && needsAddress(before)) {
    if (!spec['clusterIP']) spec['clusterIP'] = before['clusterIP'];
    if (of(spec).length === 0 && of(before).length > 0) spec['clusterIPs'] = before['clusterIPs'];
  }
  const [own, earlier] = [scalarText(spec['clusterIP']), scalarText(before?.['clusterIP'])];
  if (!before) {
    if (own !== '' && of(spec).length === 0) spec['clusterIPs'] = [own];
    return;
  }
  if (of(before).length > 0 && of(spec).length === 0 && own === earlier) spec['clusterIPs'] = before['clusterIPs'];
  if (own === earlier || !isDeepStrictEqual(of(spec), of(before))) return;
  if (earlier !== '' && own === '') delete spec['clusterIPs'];
  else spec['clusterIPs'] = [own];
}

/** The addresses of a cluster, and the Services that have some of them. */
export interface AddressPool {
  readonly blocks: readonly Block[];
  /** The other Services of the cluster. */
  readonly others: readonly StoredObject[];
  /** Addresses of Services that are being written. */
  readonly reserved: readonly string[];
  readonly dryRun: boolean;
}

/**
 * Allocates the address of a Service that gets one.
 *
 * @throws {StatusError} 422 if a chosen address is taken or out of range, or the Service has no name.
 */
export function allocateAddresses(
  { name, spec, before }: Specs,
  { blocks, others, reserved, dryRun }: AddressPool,
): void {
  const wasExternal = before !== undefined && !needsAddress(before);
  const addresses = listAt(spec, 'clusterIPs').map(scalarText);
  if (!needsAddress(spec) || addresses[0] === 'None') return;
  // An update keeps the address. A cluster of one family has no second one to add.
  if ((before && !wasExternal) || isMatchingPreferDualStack(spec, before)) return;
  const taken = new Set([...others.map(({ fields }) => fields['spec.clusterIP'] ?? ''), ...reserved]);
  const [chosen = ''] = addresses;
  // A dry run only checks the range of a chosen address.
  if (chosen !== '') checkAddress(name, chosen, { blocks, taken: dryRun ? new Set() : taken });
  // A dry run takes no address: the base of the block stands for it. (Upstream: `dryRunRange.AllocateNext`.)
  const free = (): string => (dryRun ? NETWORK_ADDRESS : freeAddress(blocks, taken));
  const address = chosen === '' ? free() : chosen;
  if (name === '' && !dryRun) throw unnamed(chosen, address);
  spec['clusterIP'] = address;
  spec['clusterIPs'] = [address, ...addresses.slice(1)];
}

/** Upstream stores an IPAddress with the name of the Service before it checks the name. */
function unnamed(chosen: string, address: string): StatusError {
  const what = `IPAddress.networking.k8s.io "${address}" is invalid: spec.parentRef.name: Required value`;
  return refused('', chosen, `failed to allocate IP${chosen && ` ${chosen}`}: ${what}`);
}

/** Returns the address of a host of a block. */
function addressIn({ value }: Block, host: number): string {
  const number = value + BigInt(host);
  return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join('.');
}

/** Addresses at the start of a block are for clients that choose them. */
function freeAddress(blocks: readonly Block[], taken: ReadonlySet<string>): string {
  for (const block of blocks) {
    const last = 2 ** (block.bits - block.prefix) - 2;
    const reserved = last < 16 ? 0 : Math.min(Math.max(16, Math.floor((last + 2) / 16)), 256);
    for (let index = 0; index < last; index++) {
      const address = addressIn(block, ((index + reserved) % last) + 1);
      if (!taken.has(address)) return address;
    }
  }
  throw internalError(new Error('failed to allocate a serviceIP: range is full'));
}

/** @throws {StatusError} 422 if the address is taken or out of range. */
function checkAddress(
  name: string,
  address: string,
  { blocks, taken }: { readonly blocks: readonly Block[]; readonly taken: ReadonlySet<string> },
): void {
  const parsed = parseAddress(addressText(address));
  const isInRange = parsed !== undefined && blocks.some((block) => isHostOf(block, parsed));
  const prefix = `failed to allocate IP ${address}: `;
  if (!isInRange) throw refused(name, address, `${prefix}the provided network does not match the current range`);
  if (taken.has(address)) throw refused(name, address, `${prefix}provided IP is already allocated`);
}

/** The first and the last address of a block are not those of a host. */
function isHostOf(block: Block, address: Address): boolean {
  const last = 2n ** BigInt(block.bits - block.prefix) - 1n;
  const host = address.value - block.value;
  return contains(block, address) && host > 0n && host < last;
}

function refused(name: string, address: string, why: string): StatusError {
  const error = invalidField('spec.clusterIPs', [address], why);
  return invalid({ group: '', kind: 'Service' }, name, [error]);
}
