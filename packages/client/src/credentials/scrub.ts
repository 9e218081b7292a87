const HIDDEN = '[redacted]';
/** Characters of a credential, at least; what is shorter stands in many a message by chance. */
const SHORTEST_SECRET = 4;
/** Characters of a word of the output, at least: shorter ones are names of fields and the like. */
const SHORTEST_WORD = 8;

/**
 * A text for an error message, without the secrets that its writer was given, in whole or after a `=`, and without any
 * word that stands in `output`, where its writer gives away credentials.
 */
export function scrubbed(
  text: string,
  { secrets, output }: { readonly secrets: readonly string[]; readonly output: string },
): string {
  const known = secrets
    .flatMap((secret) => [secret, secret.slice(secret.indexOf('=') + 1)])
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    // The longest first: one may be a part of another.
    .toSorted((a, b) => b.length - a.length);
  const shown = known.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);
  return shown
    .replaceAll(/[\w+/=.~-]+/g, (word) => (word.length >= SHORTEST_WORD && output.includes(word) ? HIDDEN : word))
    .trim();
}
