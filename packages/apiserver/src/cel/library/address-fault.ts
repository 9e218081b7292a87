/** Returns Go's message for a text that is not an IP address. (Upstream: `ParseAddr` of `net/netip`.) */
export function addressFault(text: string): string {
  return `ParseAddr(${JSON.stringify(text)}): ${faultOf(text)}`;
}

function faultOf(text: string): string {
  const separator = /[.:%]/u.exec(text)?.[0];
  if (separator === '%') return 'missing IPv6 address';
  return separator === '.' ? ipv4Fault(text) : 'unable to parse IP';
}

function ipv4Fault(text: string): string {
  const fields = text.split('.');
  let start = 0;
  for (const [index, field] of fields.entries()) {
    const fault = fieldFault(text, field, start);
    if (fault !== undefined) return fault;
    start += field.length + 1;
    if (field === '' || text.slice(start - 1) === '.')
      return at('IPv4 field must have at least one digit', text, start - 1);
    if (index === 3 && fields.length > 4) return 'IPv4 address too long';
  }
  return 'IPv4 address too short';
}

function fieldFault(text: string, field: string, start: number): string | undefined {
  let value = 0;
  for (const [index, letter] of Array.from(field).entries()) {
    if (!/\d/u.test(letter)) return at('unexpected character', text, start + index);
    if (index === 1 && value === 0) return 'IPv4 field has octet with leading zero';
    value = value * 10 + Number(letter);
    if (value > 255) return 'IPv4 field has value >255';
  }
  return undefined;
}

function at(fault: string, text: string, position: number): string {
  return `${fault} (at ${JSON.stringify(text.slice(Math.min(position, text.length - 1)))})`;
}
