/** Returns a stand-in for code: of the same length, one word, and neither upper nor lower case after its first letter. */
export function placeholder(length) {
  return 'C'.padEnd(length, '0').slice(0, length);
}

/** Replaces text in backticks by {@link placeholder}s, and keeps line breaks. */
export function withoutCode(text) {
  return text.replaceAll(/(`+)(?!`)[^]*?[^`]\1(?!`)/gu, (code) =>
    code.replaceAll(/[^\n]+/gu, (line) => placeholder(line.length)),
  );
}
