import { isIPv4, isIPv6 } from 'node:net';
import type { Overload } from '../functions.ts';
import { overload } from '../functions.ts';
import { EvaluationError, noSuchOverload, Opaque } from '../values.ts';
import { addressFault } from './address-fault.ts';

/** An IP address: 4 or 16 bytes. */
export class IpAddress extends Opaque {
  readonly typeName = 'net.IP';
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    super();
    this.bytes = bytes;
  }

  override get size(): number {
    return this.bytes.length;
  }

  equals(other: Opaque): boolean {
    return other instanceof IpAddress && Buffer.from(this.bytes).equals(other.bytes);
  }
}

export class Cidr extends Opaque {
  readonly typeName = 'net.CIDR';
  readonly address: IpAddress;
  readonly bits: number;

  constructor(address: IpAddress, bits: number) {
    super();
    this.address = address;
    this.bits = bits;
  }

  /** Bytes of the prefix. */
  override get size(): number {
    return Math.ceil(this.bits / 8);
  }

  equals(other: Opaque): boolean {
    return other instanceof Cidr && this.bits === other.bits && this.address.equals(other.address);
  }
}

function parseIp(text: string): IpAddress {
  if (isIPv4(text)) return new IpAddress(Uint8Array.from(text.split('.'), Number));
  const quoted = JSON.stringify(text);
  if (text.includes('%') && isIPv6(text)) {
    throw new EvaluationError(`IP address ${quoted} with zone value is not allowed`);
  }
  if (!isIPv6(text)) {
    throw new EvaluationError(`IP Address ${quoted} parse error during conversion from string: ${addressFault(text)}`);
  }
  const bytes = ipv6Bytes(text);
  if (isMapped(bytes)) throw new EvaluationError(`IPv4-mapped IPv6 address ${quoted} is not allowed`);
  return new IpAddress(bytes);
}

function isMapped(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
}

function ipv6Bytes(text: string): Uint8Array {
  const [head = '', tail] = text.split('::');
  const groups = (part: string): number[] =>
    part.split(':').flatMap((group) => {
      if (group === '') return [];
      if (!group.includes('.')) return [Number.parseInt(group, 16)];
      const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
      return [a * 256 + b, c * 256 + d];
    });
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const all = [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
  return Uint8Array.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}

/** Formats an address in its canonical form (RFC 5952). */
function ipText({ bytes }: IpAddress): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, index) => (bytes[index * 2] ?? 0) * 256 + (bytes[index * 2 + 1] ?? 0));
  let [start, length] = [-1, 1];
  for (let index = 0; index < 8; index++) {
    let end = index;
    while (end < 8 && groups[end] === 0) end += 1;
    if (end - index > length) [start, length] = [index, end - index];
  }
  const text = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  return start < 0 ? text(groups) : `${text(groups.slice(0, start))}::${text(groups.slice(start + length))}`;
}

function isLoopback({ bytes }: IpAddress): boolean {
  return bytes.length === 4 ? bytes[0] === 127 : bytes.subarray(0, 15).every((byte) => byte === 0) && bytes[15] === 1;
}

function isUnspecified({ bytes }: IpAddress): boolean {
  return bytes.every((byte) => byte === 0);
}

function isMulticast({ bytes }: IpAddress): boolean {
  return bytes.length === 4 ? ((bytes[0] ?? 0) & 0xf0) === 0xe0 : bytes[0] === 0xff;
}

function isLinkLocalMulticast({ bytes }: IpAddress): boolean {
  if (bytes.length === 4) return bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0;
  return bytes[0] === 0xff && ((bytes[1] ?? 0) & 0x0f) === 0x02;
}

function isLinkLocalUnicast({ bytes }: IpAddress): boolean {
  if (bytes.length === 4) return bytes[0] === 169 && bytes[1] === 254;
  return bytes[0] === 0xfe && ((bytes[1] ?? 0) & 0xc0) === 0x80;
}

function isGlobalUnicast(ip: IpAddress): boolean {
  const isBroadcast = ip.bytes.length === 4 && ip.bytes.every((byte) => byte === 255);
  return !isBroadcast && !isUnspecified(ip) && !isLoopback(ip) && !isMulticast(ip) && !isLinkLocalUnicast(ip);
}

function parseCidr(text: string): Cidr {
  const prefix = 'network address parse error during conversion from string: ';
  const fail = (reason: string): never => {
    // The real server repeats this.
    throw new EvaluationError(prefix + prefix + reason);
  };
  const quoted = JSON.stringify(text);
  const slash = text.lastIndexOf('/');
  if (slash < 0) return fail(`netip.ParsePrefix(${quoted}): no '/'`);
  const [address, bits] = [text.slice(0, slash), text.slice(slash + 1)];
  if (!isIPv4(address) && (!isIPv6(address) || address.includes('%'))) {
    return fail(`netip.ParsePrefix(${quoted}): ${addressFault(address)}`);
  }
  const bytes = isIPv4(address) ? Uint8Array.from(address.split('.'), Number) : ipv6Bytes(address);
  if (!/^(?:0|[1-9]\d{0,2})$/.test(bits)) {
    return fail(`netip.ParsePrefix(${quoted}): bad bits after slash: ${JSON.stringify(bits)}`);
  }
  if (Number(bits) > bytes.length * 8) return fail(`netip.ParsePrefix(${quoted}): prefix length out of range`);
  if (isMapped(bytes)) throw new EvaluationError(`${prefix}IPv4-mapped IPv6 address ${quoted} is not allowed`);
  return new Cidr(new IpAddress(bytes), Number(bits));
}

function masked({ address, bits }: Cidr): Cidr {
  const bytes = address.bytes.map((byte, index) => {
    const left = Math.min(8, Math.max(0, bits - index * 8));
    return byte & (0xff << (8 - left));
  });
  return new Cidr(new IpAddress(bytes), bits);
}

function containsIp(cidr: Cidr, ip: IpAddress): boolean {
  if (cidr.address.bytes.length !== ip.bytes.length) return false;
  return masked(cidr).address.equals(masked(new Cidr(ip, cidr.bits)).address);
}

function containsCidr(cidr: Cidr, other: Cidr): boolean {
  return cidr.bits <= other.bits && containsIp(cidr, masked(other).address);
}

/** Parses a text. The real server reports an invalid one as an argument without an overload. */
function orNoOverload<T>(parse: (text: string) => T, text: string): T {
  try {
    return parse(text);
  } catch {
    throw noSuchOverload();
  }
}

const valid =
  (parse: (text: string) => unknown) =>
  (text: string): boolean => {
    try {
      parse(text);
      return true;
    } catch {
      return false;
    }
  };

/** Kubernetes' functions for addresses and networks. */
export const networkLibrary: readonly Overload[] = [
  overload('string_to_ip ip: (string)->ip', parseIp),
  overload('is_ip isIP: (string)->bool', valid(parseIp)),
  overload('ip_is_canonical ip.isCanonical: (string)->bool', (text: string) => ipText(parseIp(text)) === text),
  overload('ip_family family: ip.()->int', ({ bytes }: IpAddress) => (bytes.length === 4 ? 4n : 6n)),
  overload('ip_is_unspecified isUnspecified: ip.()->bool', isUnspecified),
  overload('ip_is_loopback isLoopback: ip.()->bool', isLoopback),
  overload('ip_is_link_local_multicast isLinkLocalMulticast: ip.()->bool', isLinkLocalMulticast),
  overload('ip_is_link_local_unicast isLinkLocalUnicast: ip.()->bool', isLinkLocalUnicast),
  overload('ip_is_global_unicast isGlobalUnicast: ip.()->bool', isGlobalUnicast),
  overload('ip_to_string string: (ip)->string', ipText),
  overload('string_to_cidr cidr: (string)->cidr', parseCidr),
  overload('is_cidr isCIDR: (string)->bool', valid(parseCidr)),
  overload('cidr_contains_ip_string containsIP: cidr.(string)->bool', (cidr: Cidr, ip: string) =>
    containsIp(cidr, orNoOverload(parseIp, ip)),
  ),
  overload('cidr_contains_ip_ip containsIP: cidr.(ip)->bool', containsIp),
  overload('cidr_contains_cidr_string containsCIDR: cidr.(string)->bool', (cidr: Cidr, other: string) =>
    containsCidr(cidr, orNoOverload(parseCidr, other)),
  ),
  overload('cidr_contains_cidr containsCIDR: cidr.(cidr)->bool', containsCidr),
  overload('cidr_ip ip: cidr.()->ip', ({ address }: Cidr) => address),
  overload('cidr_prefix_length prefixLength: cidr.()->int', ({ bits }: Cidr) => BigInt(bits)),
  overload('cidr_masked masked: cidr.()->cidr', masked),
  overload('cidr_to_string string: (cidr)->string', ({ address, bits }: Cidr) => `${ipText(address)}/${bits}`),
];
