import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import type { EndpointRules } from './cluster-config.ts';

/** Where link-local services are, those that give out a machine's credentials first; and what is no one's address. */
const METADATA_BLOCKS = [
  '169.254.0.0/16',
  'fe80::/10',
  // The first again, in the deprecated IPv4-compatible form, and by 6to4.
  '::a9fe:0/112',
  '2002:a9fe::/32',
  // AWS and Google by IPv6, Alibaba Cloud, Oracle Cloud, Azure.
  'fd00:ec2::/32',
  'fd20:ce::254',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  // Unspecified (which connects to this machine), multicast, broadcast.
  '0.0.0.0/8',
  '::',
  '224.0.0.0/4',
  'ff00::/8',
  '255.255.255.255',
];

/** By which networks with IPv6 alone lead to IPv4 addresses: NAT64 (RFC 6052) and SIIT (RFC 7915). */
const TRANSLATIONS = ['64:ff9b::', '::ffff:0:'];

/** A proxy resolves names by itself: these are known to be such services. */
const METADATA_NAMES: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
]);

/** Says where connections may lead: {@link EndpointRules}, ready to be asked. */
export class EndpointGuard {
  readonly #allowsMetadata: boolean;
  /** `undefined`: connections may lead anywhere. */
  readonly #allowed: { readonly names: readonly string[]; readonly addresses: BlockList } | undefined;

  /** @throws {TypeError} when a rule is none. */
  constructor({ allow, metadataAddresses = true }: EndpointRules = {}) {
    this.#allowsMetadata = metadataAddresses;
    if (!allow) return;
    const addresses = new BlockList();
    const names = allow.filter((rule, index) => {
      if (addTo(addresses, rule)) return false;
      if (/^(\*\.)?[a-z\d_-]+(\.[a-z\d_-]+)*$/i.test(rule)) return true;
      throw new TypeError(`endpoints.allow[${index}] must be a host name, *.a-domain, an address or a CIDR block`);
    });
    this.#allowed = { names, addresses };
  }

  /**
   * Why no connection may lead to `address`; `undefined` when one may.
   *
   * @param host the name that the address was found by, or the address itself.
   * @param address left out when nothing is known but the name.
   */
  refusal(host: string, address = host): string | undefined {
    if (!this.#allowsMetadata && isMetadata(address)) {
      return `${address} is a link-local, metadata or multicast address, or stands for none`;
    }
    if (!this.#allowed) return undefined;
    const { names, addresses } = this.#allowed;
    if (namesHost(names, host) || holds(addresses, address)) return undefined;
    return `${address} is not among those that endpoints.allow lists`;
  }
}

function namesHost(rules: readonly string[], host: string): boolean {
  const name = plainName(host);
  return rules.some((rule) => {
    const allowed = rule.toLowerCase();
    return allowed.startsWith('*.') ? name.endsWith(allowed.slice(1)) : name === allowed;
  });
}

/** Made when the first is asked for: it takes milliseconds. */
let metadataBlocks: BlockList | undefined;

function isMetadata(address: string): boolean {
  metadataBlocks ??= newMetadataBlocks();
  return holds(metadataBlocks, address) || METADATA_NAMES.has(plainName(address));
}

function newMetadataBlocks(): BlockList {
  const blocks = new BlockList();
  for (const block of METADATA_BLOCKS) {
    addTo(blocks, block);
    const [address = '', prefix = 32] = block.split('/');
    if (!isIPv4(address)) continue;
    for (const translation of TRANSLATIONS) addTo(blocks, `${translation}${address}/${96 + Number(prefix)}`);
  }
  return blocks;
}

/** Adds an address or a CIDR block. @returns whether `rule` is one. */
export function addTo(list: BlockList, rule: string): boolean {
  const [address = '', prefix, ...rest] = rule.split('/');
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  if (!isIP(address) || rest.length > 0) return false;
  if (prefix === undefined) {
    list.addAddress(address, family);
    return true;
  }
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > (family === 'ipv6' ? 128 : 32)) return false;
  list.addSubnet(address, Number(prefix), family);
  return true;
}

/** Whether `list` has `address`, or the IPv4 address that it maps. A name is in no list. */
export function holds(list: BlockList, address: string): boolean {
  return isIP(address) !== 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** The host of a URL without the brackets that it puts around an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** In the form in which names are compared: without the dot of the root. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
