import { isDeepStrictEqual } from 'node:util';
import type { ClusterStore } from '../../storage/cluster-store.ts';
import type { ResourceStore } from '../../storage/resource-store.ts';
import type { JsonObject } from '../../storage/stored-object.ts';
import { parseStored } from '../../storage/stored-object.ts';
import type { StatusError } from '../../status.ts';
import { internalError, invalid, invalidField } from '../../status.ts';
import { listAt } from '../cells.ts';
import type { AdmissionContext } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import type { Address, Block } from '../validation/ip-address.ts';
import { addressText, contains, parseAddress, parseBlock } from '../validation/ip-address.ts';
import { parentErrors } from '../validation/service-range.ts';
import { allocatedAddress, IP_ADDRESSES } from './ip-address.ts';
import type { Specs } from './service.ts';
import { isMatchingPreferDualStack } from './service-families.ts';

/** Addresses of Services, as envtest starts kube-apiserver. */
const NETWORK_ADDRESS = '10.0.0.0';
const NETWORK = parseBlock(`${NETWORK_ADDRESS}/24`) as Block;

const RANGES = 'servicecidrs.networking.k8s.io';

/** Returns the blocks of addresses that a cluster has: its first one, and those of ServiceCIDRs that are ready. */
function serviceBlocks(store: ClusterStore): readonly Block[] {
  const living = store
    .resource(RANGES)
    .list('')
    .filter(({ terminating }) => !terminating);
  const ready = living.map(parseStored).filter(isReady);
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

/**
 * Chooses the address of a Service that gets one. An address is taken if it has an IPAddress.
 *
 * @throws {StatusError} 422 if the address of the client is taken or out of range, or no IPAddress can have the name of
 *   the Service.
 */
export function chooseAddress(
  { name, namespace, spec, before }: Specs,
  { store, dryRun }: Pick<AdmissionContext, 'store' | 'dryRun'>,
): void {
  const wasExternal = before !== undefined && !needsAddress(before);
  const addresses = listAt(spec, 'clusterIPs').map(scalarText);
  if (!needsAddress(spec) || addresses[0] === 'None') return;
  // An update keeps the address. A cluster of one family has no second one to add.
  if ((before && !wasExternal) || isMatchingPreferDualStack(spec, before)) return;
  const blocks = serviceBlocks(store);
  const taken = store.resource(IP_ADDRESSES);
  const [chosen = ''] = addresses;
  if (chosen !== '') requireInRange(name, chosen, blocks);
  // A dry run takes no address: the base of the block stands for it. (Upstream: `dryRunRange.AllocateNext`.)
  const free = (): string => (dryRun ? NETWORK_ADDRESS : freeAddress(blocks, taken));
  const address = chosen === '' ? free() : chosen;
  if (!dryRun) requireFree({ name, namespace }, { chosen, address: addressText(address), taken });
  spec['clusterIP'] = address;
  spec['clusterIPs'] = [address, ...addresses.slice(1)];
}

interface Wanted {
  /** `''` if the server chooses the address. */
  readonly chosen: string;
  readonly address: string;
  readonly taken: ResourceStore;
}

/** @throws {StatusError} 422 if the IPAddress exists or cannot have the name of the Service, which is checked later. */
function requireFree(service: Pick<Specs, 'name' | 'namespace'>, { chosen, address, taken }: Wanted): void {
  const { spec } = allocatedAddress(address, service);
  const errors = parentErrors('spec.parentRef', spec.parentRef);
  const why =
    errors.length > 0
      ? invalid({ group: 'networking.k8s.io', kind: 'IPAddress' }, address, errors).message
      : taken.get(address) && 'provided IP is already allocated';
  if (why) throw refused(service.name, chosen, `failed to allocate IP${chosen && ` ${chosen}`}: ${why}`);
}

/** Returns the text of an IPv4 address. */
function textOf(number: number): string {
  return `${number >>> 24}.${(number >>> 16) & 255}.${(number >>> 8) & 255}.${number & 255}`;
}

/** Offset after the last address that the server chose from each block, by the block's first address and prefix. */
const cursors = new WeakMap<ResourceStore, Map<string, number>>();

/**
 * Returns the next free address after the last chosen one, so that a search does not pass all taken ones again. Addresses at
 * the start of a block are for clients that choose them.
 */
function freeAddress(blocks: readonly Block[], taken: ResourceStore): string {
  const offsets = cursors.get(taken) ?? new Map<string, number>();
  cursors.set(taken, offsets);
  for (const block of blocks) {
    const base = Number(block.value);
    const last = 2 ** (block.bits - block.prefix) - 2;
    const reserved = last < 16 ? 0 : Math.min(Math.max(16, Math.floor((last + 2) / 16)), 256);
    const id = `${block.value}/${block.prefix}`;
    const offset = offsets.get(id) ?? 0;
    // The reserved addresses come last.
    const open = last - reserved;
    for (let index = 0; index < last; index++) {
      const at = index < open ? (index + offset) % open : index;
      const address = textOf(base + ((at + reserved) % last) + 1);
      if (taken.get(address)) continue;
      if (at < open) offsets.set(id, at + 1);
      return address;
    }
  }
  throw internalError(new Error('failed to allocate a serviceIP: range is full'));
}

/** @throws {StatusError} 422 */
function requireInRange(name: string, address: string, blocks: readonly Block[]): void {
  const parsed = parseAddress(addressText(address));
  if (parsed && blocks.some((block) => isHostOf(block, parsed))) return;
  const why = `failed to allocate IP ${address}: the provided network does not match the current range`;
  throw refused(name, address, why);
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
