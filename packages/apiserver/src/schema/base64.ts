const VALID = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u;
const DIGIT = /[A-Za-z0-9+/]/u;

/** Returns the position at which Go's `encoding/base64` refuses a text; `undefined` for base64. Line breaks are ignored. */
export function base64Fault(text: string): number | undefined {
  if (VALID.test(text)) return undefined;
  const positions = Array.from(text.matchAll(/[^\r\n]/gu), ({ index }) => index);
  for (let start = 0; start < positions.length; start += 4) {
    const group = positions.slice(start, start + 4);
    const digits = group.findIndex((position) => !DIGIT.test(text.charAt(position)));
    // An incomplete group is refused as a whole.
    if (digits < 0 && group.length === 4) continue;
    if (digits < 0) return group[0];
    const isPadding = digits >= 2 && text.charAt(group[digits] ?? 0) === '=';
    if (!isPadding) return group[digits];
    const closing = digits === 2 ? group[3] : group[digits];
    if (closing === undefined) return text.length;
    if (text.charAt(closing) !== '=') return closing;
    return positions[start + 4];
  }
  return undefined;
}
