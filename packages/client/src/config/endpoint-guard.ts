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

/** Unspecified addresses, which connect to this machine, multicast addresses and broadcast. */
const NOT_HOSTS = ['0.0.0.0/8', '::', '224.0.0.0/4', 'ff00::/8', '255.255.255.255'];

/** Names of metadata services. Only the name can be checked when a proxy resolves it. */
const METADATA_NAMES: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
  'metadata.tencentyun.com',
  'api.metadata.cloud.ibm.com',
]);

/** Checks endpoints against {@link EndpointRules}. */
export class EndpointGuard {
  readonly #allowsMetadata: boolean;
  /** `undefined` if every endpoint is allowed. */
  readonly #allowed: { readonly names: readonly string[]; readonly addresses: BlockList } | undefined;

  /** @throws {TypeError} if an entry of `allow` is not valid. */
  constructor({ allow, metadataAddresses = true }: EndpointRules = {}) {
    this.#allowsMetadata = metadataAddresses;
    if (!allow) return;
    const addresses = new BlockList();
    const names = allow.filter((rule, index) => {
      if (addTo(addresses, rule)) return false;
      if (/^(\*\.)?[a-z\d_-]+(\.[a-z\d_-]+)*$/i.test(rule)) return true;
      throw new TypeError(
        `endpoints.allow[${index}]: expected a host name, a pattern such as *.example.com, an address or a CIDR block`,
      );
    });
    this.#allowed = { names, addresses };
  }

  /**
   * Returns why connections to `address` are refused, or `undefined` if they are allowed.
   *
   * @param host the name that resolved to the address, or the address itself.
   * @param address omitted if only the name is known.
   */
  refusal(host: string, address = host): string | undefined {
    const canonical = canonicalAddress(address);
    if (!this.#allowsMetadata && (isMetadata(canonical) || METADATA_NAMES.has(plainName(host)))) {
      return `${address} is a link-local, metadata, multicast or unspecified address`;
    }
    if (!this.#allowed) return undefined;
    const { names, addresses } = this.#allowed;
    if (namesHost(names, host) || holds(addresses, canonical)) return undefined;
    return `${address} is not listed in endpoints.allow`;
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
  refused ??= { services: blockListOf(SERVICES), all: blockListOf([...SERVICES, ...NOT_HOSTS]) };
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

/** Adds an address or a CIDR block to `list`. Returns `false` if `rule` is neither. */
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

/** Whether `list` contains `address`, or the IPv4 address mapped in it. Returns `false` for a name. */
export function holds(list: BlockList, address: string): boolean {
  return isIP(address) !== 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** Returns the host of a URL, without the brackets around an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Normalizes a name for comparison: lower case, without the trailing dot. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
