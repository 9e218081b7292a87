import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import type { EndpointRules } from './cluster-config.ts';
import { embeddedIPv4 } from './embedded-ipv4.ts';

/** Link-local addresses and the metadata services of clouds, which return the credentials of a machine. */
const SERVICES = [
  '169.254.0.0/16',
  'fe80::/10',
  // AWS (metadata, EKS Pod Identity, DNS), Google Cloud, Oracle Cloud, Akamai, Scaleway, Alibaba Cloud.
  'fd00:ec2::/32',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  'fd00:a9fe:a9fe::1',
  'fd00:42::42',
  'fd00:100::100:200',
  // Alibaba Cloud, Oracle Cloud, Azure.
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
];

/** Unspecified addresses, which connect to this machine, multicast and broadcast. */
const NO_HOSTS = ['0.0.0.0/8', '::', '224.0.0.0/4', 'ff00::/8', '255.255.255.255'];

/** Names of metadata services. A proxy resolves names itself, so the address behind them is not seen here. */
const METADATA_NAMES: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
  'metadata.tencentyun.com',
  'api.metadata.cloud.ibm.com',
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
    const canonical = canonicalAddress(address);
    if (!this.#allowsMetadata && (isMetadata(canonical) || METADATA_NAMES.has(plainName(host)))) {
      return `${address} is a link-local, metadata or multicast address, or stands for none`;
    }
    if (!this.#allowed) return undefined;
    const { names, addresses } = this.#allowed;
    if (namesHost(names, host) || holds(addresses, canonical)) return undefined;
    return `${address} is not among those that endpoints.allow lists`;
  }
}

/**
 * Normalizes an address for a BlockList: without a zone, and IPv4 as four decimal numbers. The system's resolver and
 * the URL parser also accept IPv4 addresses as one to four decimal, octal or hexadecimal numbers. Returns a name as is.
 */
function canonicalAddress(address: string): string {
  const unzoned = address.replace(/%.*$/s, '');
  if (isIP(unzoned)) return unzoned;
  const host = URL.parse(`http://${address}/`)?.hostname;
  return host !== undefined && isIPv4(host) ? host : address;
}

function namesHost(rules: readonly string[], host: string): boolean {
  const name = plainName(host);
  return rules.some((rule) => {
    const allowed = rule.toLowerCase();
    return allowed.startsWith('*.') ? name.endsWith(allowed.slice(1)) : name === allowed;
  });
}

/** Built on first use, because that takes milliseconds. */
let refused: { readonly services: BlockList; readonly all: BlockList } | undefined;

function isMetadata(address: string): boolean {
  refused ??= { services: blockListOf(SERVICES), all: blockListOf([...SERVICES, ...NO_HOSTS]) };
  const { services, all } = refused;
  if (holds(all, address)) return true;
  if (!isIPv6(address)) return false;
  // A wrong candidate often starts with a zero, like the unspecified addresses.
  return embeddedIPv4(address).some((ipv4) => holds(ipv4.isGuess ? services : all, ipv4.address));
}

function blockListOf(rules: readonly string[]): BlockList {
  const list = new BlockList();
  for (const rule of rules) addTo(list, rule);
  return list;
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
