import { isIPv6 } from 'node:net';
import type { FieldError } from '../../status.ts';
import { invalidField } from '../../status.ts';

/** Addresses and blocks, read and checked as by upstream's `k8s.io/utils/net` and `apimachinery/pkg/util/validation`. */

/** An address of a family, as a number. */
export interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** A block of addresses: those that begin as `value` does. */
export interface Block extends Address {
  readonly prefix: number;
}

const MAPPED = 0xffffn;
const LOW_32 = 0xffff_ffffn;

/** Reads an address. Numbers of an IPv4 address may begin with zeros. */
export function parseAddress(text: string): Address | undefined {
  const numbers = /^\d+(?:\.\d+){3}$/u.test(text) ? text.split('.').map(Number) : [];
  if (numbers.length === 4) {
    if (numbers.some((number) => number > 255)) return undefined;
    return { bits: 32, value: numbers.reduce((value, number) => value * 256n + BigInt(number), 0n) };
  }
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const [head = '', tail] = canonicalIPv6(text).split('::');
  const [first, last] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')));
  const count = (first?.length ?? 0) + (last?.length ?? 0);
  const groups = [...(first ?? []), ...Array.from({ length: 8 - count }, () => '0'), ...(last ?? [])];
  return { bits: 128, value: groups.reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n) };
}

/** Returns the family of an address, where an IPv6 address that contains an IPv4 address is one of IPv4. */
export function familyOf(text: string): 'IPv4' | 'IPv6' | undefined {
  const address = parseAddress(text);
  return address && (inIPv4(address) === undefined ? 'IPv6' : 'IPv4');
}

function inIPv4({ bits, value }: Address): bigint | undefined {
  if (bits === 32) return value;
  return value >> 32n === MAPPED ? value & LOW_32 : undefined;
}

/** Returns the text of a URL's host, which is in the form of RFC 5952. */
function canonicalIPv6(text: string): string {
  return new URL(`http://[${text}]/`).hostname.slice(1, -1);
}

/** Returns an address as Go writes it. */
export function addressText(text: string): string {
  const address = parseAddress(text);
  const value = address && inIPv4(address);
  if (value === undefined) return canonicalIPv6(text);
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
}

/** Reads a block. Bits after the prefix become 0. */
export function parseBlock(text: string): Block | undefined {
  const slash = text.indexOf('/');
  const address = slash < 0 ? undefined : parseAddress(text.slice(0, slash));
  const digits = text.slice(slash + 1);
  if (!address || !/^\d+$/u.test(digits) || Number(digits) > address.bits) return undefined;
  const host = BigInt(address.bits - Number(digits));
  return { ...address, prefix: Number(digits), value: (address.value >> host) << host };
}

/** Returns a block as Go writes it. */
export function blockText({ bits, value, prefix }: Block): string {
  const group = bits === 32 ? 8n : 16n;
  const parts = Array.from({ length: bits === 32 ? 4 : 8 }, (_, index) => {
    return (value >> (BigInt(bits) - group * BigInt(index + 1))) & ((1n << group) - 1n);
  });
  if (bits === 32) return `${parts.join('.')}/${prefix}`;
  return `${addressText(parts.map((part) => part.toString(16)).join(':'))}/${prefix}`;
}

/** Reports whether the address of a block is in another block of the same family. */
export function contains(outer: Block, { bits, value }: Address): boolean {
  const host = BigInt(outer.bits - outer.prefix);
  return bits === outer.bits && value >> host === outer.value >> host;
}

const ADDRESS = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const BLOCK = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** Validates an address of a field that also takes other forms. Texts that the object had before are valid. */
export function legacyAddressErrors(field: string, text: string, before: readonly unknown[] = []): FieldError[] {
  return before.includes(text) || parseAddress(text) ? [] : [invalidField(field, text, ADDRESS)];
}

/** Validates a block of a field that also takes other forms. Texts that the object had before are valid. */
export function legacyBlockErrors(field: string, text: string, before: readonly unknown[] = []): FieldError[] {
  return before.includes(text) || parseBlock(text) ? [] : [invalidField(field, text, BLOCK)];
}

/** Validates an address in its canonical form. */
export function addressErrors(field: string, text: string): FieldError[] {
  const address = parseAddress(text);
  if (!address) return [invalidField(field, text, ADDRESS)];
  if (address.bits === 32 && /(?:^|\.)0\d/u.test(text)) return [invalidField(field, text, 'must not have leading 0s')];
  if (address.bits === 128 && inIPv4(address) !== undefined) {
    return [invalidField(field, text, 'must not be an IPv4-mapped IPv6 address')];
  }
  const canonical = addressText(text);
  return text === canonical
    ? []
    : [invalidField(field, text, `must be in canonical form (${JSON.stringify(canonical)})`)];
}

/** Validates a block in its canonical form. */
export function blockErrors(field: string, text: string): FieldError[] {
  const block = parseBlock(text);
  if (!block) return [invalidField(field, text, BLOCK)];
  if (hasLeadingZeros(text, block)) {
    return [invalidField(field, text, 'must not have leading 0s in IP or prefix length')];
  }
  if (isMapped(text)) return [invalidField(field, text, 'must not have an IPv4-mapped IPv6 address')];
  const address = parseAddress(text.slice(0, text.indexOf('/')));
  if (address?.value !== block.value) {
    return [invalidField(field, text, 'must not have bits set beyond the prefix length')];
  }
  const canonical = blockText(block);
  return text === canonical
    ? []
    : [invalidField(field, text, `must be in canonical form (${JSON.stringify(canonical)})`)];
}

/** Validates the address of an interface with the length of its prefix, in canonical form. */
export function interfaceAddressErrors(field: string, text: string): FieldError[] {
  const block = parseBlock(text);
  if (!block) {
    return [invalidField(field, text, 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)')];
  }
  const address = text.slice(0, text.indexOf('/'));
  const prefix = isMapped(text) && block.prefix > 32 ? block.prefix - 96 : block.prefix;
  const canonical = `${addressText(address)}/${prefix}`;
  return text === canonical
    ? []
    : [invalidField(field, text, `must be in canonical form (${JSON.stringify(canonical)})`)];
}

function hasLeadingZeros(block: string, { bits }: Block): boolean {
  return /(?:^|\.|\/)0\d/u.test(bits === 32 ? block : block.slice(block.indexOf('/')));
}

/** Reports whether the address of a block is an IPv4 address in the notation of IPv6. */
function isMapped(block: string): boolean {
  const address = parseAddress(block.slice(0, block.indexOf('/')));
  return address?.bits === 128 && inIPv4(address) !== undefined;
}

interface SpecialRange {
  readonly blocks: readonly string[];
  readonly detail: (text: string) => string;
}

/** Ranges that endpoints must not be in, with the texts of upstream. */
const SPECIAL: readonly SpecialRange[] = [
  { blocks: ['0.0.0.0/32', '::/128'], detail: (text) => `may not be unspecified (${text})` },
  { blocks: ['127.0.0.0/8', '::1/128'], detail: () => 'may not be in the loopback range (127.0.0.0/8, ::1/128)' },
  {
    blocks: ['169.254.0.0/16', 'fe80::/10'],
    detail: () => 'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
  },
  {
    blocks: ['224.0.0.0/24', 'ff02::/16'],
    detail: () => 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
  },
];

/** Validates the address of an endpoint, which is not in a special range (upstream: `ValidateEndpointIP`). */
export function endpointAddressErrors(field: string, text: string): FieldError[] {
  const parsed = parseAddress(text);
  if (!parsed) return [invalidField(field, text, 'must be a valid IP address')];
  const mapped = inIPv4(parsed);
  const address: Address = mapped === undefined ? parsed : { bits: 32, value: mapped };
  return SPECIAL.flatMap(({ blocks, detail }) => {
    const isIn = blocks.some((block) => contains(parseBlock(block) as Block, address));
    return isIn ? [invalidField(field, text, detail(text))] : [];
  });
}

/** Returns the warning about an address that is not in its canonical form (upstream: `GetWarningsForIP`). */
export function addressWarnings(field: string, text: string): string[] {
  const address = parseAddress(text);
  if (!address) return [];
  const canonical = addressText(text);
  const [sent, preferred] = [JSON.stringify(text), JSON.stringify(canonical)];
  if (addressErrors(field, text).length === 0) return [];
  if (address.bits === 128 && inIPv4(address) === undefined) {
    return [`${field}: IPv6 address ${sent} should be in RFC 5952 canonical format (${preferred})`];
  }
  const why = 'will be considered invalid in a future Kubernetes release';
  return [`${field}: non-standard IP address ${sent} ${why}: use ${preferred}`];
}

/** Returns the warnings about a block that is not in its canonical form (upstream: `GetWarningsForCIDR`). */
export function blockWarnings(field: string, text: string): string[] {
  const block = parseBlock(text);
  const address = parseAddress(text.slice(0, text.indexOf('/')));
  if (!block || !address) return [];
  const [sent, preferred] = [JSON.stringify(text), JSON.stringify(blockText(block))];
  const warnings: string[] = [];
  if (address.value !== block.value) {
    const single = JSON.stringify(`${addressText(text.slice(0, text.indexOf('/')))}/${block.bits}`);
    warnings.push(`${field}: CIDR value ${sent} is ambiguous in this context (should be ${preferred} or ${single}?)`);
  }
  if (hasLeadingZeros(text, block) || isMapped(text)) {
    const why = 'will be considered invalid in a future Kubernetes release';
    warnings.push(`${field}: non-standard CIDR value ${sent} ${why}: use ${preferred}`);
  }
  if (warnings.length === 0 && block.bits === 128 && blockText(block) !== text) {
    warnings.push(`${field}: IPv6 CIDR value ${sent} should be in RFC 5952 canonical format (${preferred})`);
  }
  return warnings;
}
