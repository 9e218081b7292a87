/** Returns a pattern that matches a text and no other. */
export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
}
