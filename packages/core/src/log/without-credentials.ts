const HIDDEN = '[redacted]';

/** Maximum length of a searched text, in characters. Longer texts are cut first. */
const MAX_SEARCHED = 65_536;

/** Shapes of credentials. Each takes linear time. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g, HIDDEN],
  [/\b(bearer|basic)[ \t]+[\w+/=.~-]{4,}/gi, `$1 ${HIDDEN}`],
  [/(:\/\/)[^\s/?#@'"]{1,500}@/g, `$1${HIDDEN}@`],
  [
    /\b([\w-]{0,40}(?:token|password|passwd|secret|api[-_]?key|access[-_]?key|client-key-data))(\\?["']?[ \t]?[=:][ \t]?\\?["']?)[^\s"'&,;\\]{3,}/gi,
    `$1$2${HIDDEN}`,
  ],
];

/** Matches words joined by full stops. A match never fails late, so this takes linear time. */
const WORDS = /[\w-]+(?:\.[\w-]*)*/g;
/** Matches the start of a JSON Web Token: `{"` in base64 is `eyJ`. */
const TOKEN_START = /\beyJ[\w-]{5,}/;

/**
 * Removes everything that looks like a credential from `text`: tokens, passwords in URLs, private keys. This is a
 * safety net for texts of unknown origin, such as errors from user code. Errors of this project never contain
 * credentials.
 */
export function withoutCredentials(text: string): string {
  const searched = text.slice(0, MAX_SEARCHED);
  return SHAPES.reduce((clean, [shape, shown]) => clean.replace(shape, shown), searched).replace(WORDS, withoutTokens);
}

/** Splits words instead of using one expression for whole tokens, which would take quadratic time. */
function withoutTokens(dotted: string): string {
  const words = dotted.split('.');
  const clean: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const start = index + 1 < words.length ? word.search(TOKEN_START) : -1;
    clean.push(start < 0 ? word : word.slice(0, start) + HIDDEN);
    // Skips the claims and the signature.
    if (start >= 0) index += 2;
  }
  return clean.join('.');
}
