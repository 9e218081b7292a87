/** Length of all warnings together, from which each is cut to {@link ITEM_LIMIT}, in characters. */
const TOTAL_LIMIT = 4 * 1024;
const ITEM_LIMIT = 256;

/** The warnings of a response, each once. (Upstream: `endpoints/filters/warning.go`.) */
export class Warnings {
  readonly #texts = new Set<string>();
  /** Length of all texts in characters, and of all once each is cut to {@link ITEM_LIMIT}. */
  #length = 0;
  #cutLength = 0;

  /**
   * Adds a text, unless the texts before it are already as long as the warnings may be. A text with control characters,
   * which could end the header, is dropped. (Upstream: `NewWarningHeader` of apimachinery.)
   */
  add(text: string): void {
    const isFull = this.#length > TOTAL_LIMIT && this.#cutLength >= TOTAL_LIMIT;
    if (text === '' || isFull || this.#texts.has(text) || /\p{Cc}/u.test(text)) return;
    // A character has two units at most.
    const characters = Array.from(text.slice(0, 2 * (TOTAL_LIMIT + 1))).length;
    this.#texts.add(text);
    this.#length += characters;
    this.#cutLength += Math.min(characters, ITEM_LIMIT);
  }

  /** Returns the values of the `Warning` header (RFC 7234, 5.5). */
  headers(): string[] {
    if (this.#length <= TOTAL_LIMIT) return [...this.#texts].map(header);
    const headers: string[] = [];
    let written = 0;
    for (const text of this.#texts) {
      if (written >= TOTAL_LIMIT) break;
      const shown = Array.from(text.slice(0, 2 * ITEM_LIMIT)).slice(0, ITEM_LIMIT);
      written += shown.length;
      headers.push(header(shown.join('')));
    }
    return headers;
  }
}

/** Non-ASCII text cannot be a header of Node.js, except as the bytes of UTF-8. */
function header(text: string): string {
  const quoted = `"${text.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`;
  return `299 - ${Buffer.from(quoted).toString('latin1')}`;
}
