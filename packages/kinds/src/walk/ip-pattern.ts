const OCTET = '(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
const IPV4 = `(?:${OCTET}\\.){3}${OCTET}`;
const GROUP = '[0-9A-Fa-f]{1,4}';

/** Patterns of `length` groups before `end`. A `::` replaces one or more groups. */
function groups(length: number, end: string): string[] {
  const separator = end === '' ? '' : ':';
  const whole = `(?:${GROUP}:){${length - 1}}${GROUP}${separator}${end}`;
  const shortened = Array.from({ length }, (_, before) => {
    const left = before === 0 ? '' : `${GROUP}(?::${GROUP}){${before - 1}}`;
    const after = length - 1 - before;
    const right = end === '' ? `(?:${GROUP}(?::${GROUP}){0,${after - 1}})?` : `(?:${GROUP}:){0,${after}}${end}`;
    return `${left}::${after === 0 ? end : right}`;
  });
  return [whole, ...shortened];
}

/**
 * An IPv6 address, as `z.ipv6()` accepts it: zod parses it as the host of a URL. Its last 32 bits may be an IPv4 address.
 */
export const IPV6: RegExp = new RegExp(`^(?:${[...groups(8, ''), ...groups(6, IPV4)].join('|')})$`);
