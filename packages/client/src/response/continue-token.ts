/** Matches a continue token before any array, so that it belongs to the list and not to one of its objects. */
const CONTINUE = /^[^[]*?"continue":"([\w=+/.-]+)"/;
/** Largest offset, in characters, at which the token of a list may end. */
const LIST_METADATA = 8_192;

/** Returns the token of the next page, if the beginning of a list contains it. */
export function continueTokenIn(text: string): string | undefined {
  return CONTINUE.exec(text.slice(0, LIST_METADATA))?.[1];
}
