/** An IPv4 address embedded in an IPv6 address. */
export interface EmbeddedIPv4 {
  readonly address: string;
  /** Whether this is one of several candidates, because the prefix does not define the position of the IPv4 address. */
  readonly isGuess?: boolean;
}

/**
 * Byte positions of the IPv4 address for the prefix lengths /48, /56, /64 and /96; byte 8 is always zero. (RFC 6052,
 * section 2.2.)
 */
const NAT64_POSITIONS = [
  [6, 7, 9, 10],
  [7, 9, 10, 11],
  [9, 10, 11, 12],
  [12, 13, 14, 15],
] as const;

/**
 * Returns the IPv4 addresses that packets to an IPv6 address may reach: mapped and compatible (RFC 4291), SIIT (RFC
 * 2765), NAT64 (RFC 6052, RFC 8215), 6to4 (RFC 3056), Teredo (RFC 4380) and ISATAP (RFC 5214).
 *
 * @param address a valid IPv6 address without a zone.
 */
export function embeddedIPv4(address: string): readonly EmbeddedIPv4[] {
  const bytes = bytesOf(address);
  const startsWith = (...prefix: number[]) => prefix.every((byte, index) => bytes[index] === byte);
  const at = (...positions: readonly number[]) => positions.map((position) => bytes[position]).join('.');
  const last = { address: at(12, 13, 14, 15) };
  const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);

  if (startsWith(...zeros(10), 0xff, 0xff) || startsWith(...zeros(8), 0xff, 0xff, 0, 0)) return [last];
  // `::` and `::1` embed no IPv4 address.
  if (startsWith(...zeros(12))) return startsWith(...zeros(15)) ? [] : [last];
  if (startsWith(0, 0x64, 0xff, 0x9b, ...zeros(8))) return [last];
  if (startsWith(0, 0x64, 0xff, 0x9b, 0, 1)) {
    return NAT64_POSITIONS.map((positions) => ({ address: at(...positions), isGuess: true }));
  }
  if (startsWith(0x20, 0x02)) return [{ address: at(2, 3, 4, 5) }];
  if (startsWith(0x20, 0x01, 0, 0)) {
    const client = bytes.slice(12).map((byte) => byte ^ 0xff);
    return [{ address: at(4, 5, 6, 7) }, { address: client.join('.') }];
  }
  // The interface identifier of ISATAP. Its first byte contains the universal and group bits.
  const isIsatap = ((bytes[8] ?? 0) & 0xfc) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
  return isIsatap ? [last] : [];
}

/** Returns the 16 bytes of an IPv6 address. */
function bytesOf(address: string): readonly number[] {
  // Converts a dotted IPv4 ending into two groups.
  const plain = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...numbers: string[]) => {
    const [a, b, c, d] = numbers.slice(0, 4).map(Number) as [number, number, number, number];
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = [], tail] = plain.split('::').map((side) => side.split(':').filter(Boolean));
  const groups = tail ? [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail] : [...head];
  return groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]);
}
