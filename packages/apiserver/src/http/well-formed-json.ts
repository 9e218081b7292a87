/** An escape of JSON: a pair of surrogates, one surrogate, or any other. */
const ESCAPE =
  /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(?<lone>u[dD][89a-fA-F][\da-fA-F]{2})|[^])/gu;

/** Replaces the escapes of surrogates without a partner by that of U+FFFD, as the decoder of Go does. */
export function wellFormedJson(text: string): string {
  if (!/\\u[dD][89a-fA-F]/u.test(text)) return text;
  return text.replace(ESCAPE, (escape, lone: string | undefined) => (lone === undefined ? escape : '\\ufffd'));
}
