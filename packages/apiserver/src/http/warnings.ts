/** Length of all warnings together, from which each is cut to {@link ITEM_LIMIT}, in characters. */
const TOTAL_LIMIT = 4 * 1024;
const ITEM_LIMIT = 256;

/** The warnings of a response, each once. (Upstream: `endpoints/filters/warning.go`.) */
export class Warnings {
  readonly #texts = new Set<string>();

  add(text: string): void {
    if (text !== '') this.#texts.add(text);
  }

  /** Returns the values of the `Warning` header (RFC 7234, 5.5). */
  headers(): string[] {
    const texts = [...this.#texts].map((text) => Array.from(text));
    const total = texts.reduce((sum, { length }) => sum + length, 0);
    if (total <= TOTAL_LIMIT) return texts.map(header);
    const headers: string[] = [];
    let written = 0;
    for (const characters of texts) {
      if (written >= TOTAL_LIMIT) break;
      const shown = characters.slice(0, ITEM_LIMIT);
      written += shown.length;
      headers.push(header(shown));
    }
    return headers;
  }
}

/** Non-ASCII text cannot be a header of Node.js, except as the bytes of UTF-8. Control characters are dropped. */
function header(characters: readonly string[]): string {
  const text = characters.join('').replaceAll(/\p{Cc}/gu, '');
  const quoted = `"${text.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`;
  return `299 - ${Buffer.from(quoted).toString('latin1')}`;
}
