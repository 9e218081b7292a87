/** Creates the error for a lookup in an index that does not exist. @param known names of the existing indexes. */
export function unknownIndex(name: string, known: readonly string[]): TypeError {
  const existing = known.map((each) => JSON.stringify(each)).join(', ');
  return new TypeError(
    `index ${JSON.stringify(name)} does not exist: create it with indexField${existing && ` (existing indexes: ${existing})`}`,
  );
}
