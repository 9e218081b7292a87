const HIDDEN = '[redacted]';

/** Maximum length of a searched text, in characters. Longer texts are cut first. */
const MAX_SEARCHED = 65_536;

/** Shapes of credentials. Each takes linear time. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g, HIDDEN],
  [/\b(bearer|basic)[ \t]+[\w+/=.~-]{4,}/gi, `$1 ${HIDDEN}`],
  // A JSON Web Token: `{"` in base64 begins with `eyJ`.
  [/\beyJ[\w-]{5,}(?:\.[\w-]*){1,2}/g, HIDDEN],
  [/(:\/\/)[^\s/?#@'"]{1,500}@/g, `$1${HIDDEN}@`],
  [
    /\b([\w-]{0,40}(?:token|password|passwd|secret|api[-_]?key|access[-_]?key|client-key-data))(\\?["']?[ \t]?[=:][ \t]?\\?["']?)[^\s"'&,;\\]{3,}/gi,
    `$1$2${HIDDEN}`,
  ],
];

/**
 * Removes everything that looks like a credential from `text`: tokens, passwords in URLs, private keys. This is a
 * safety net for texts of unknown origin, such as errors from user code. Known credentials never get into an error.
 */
export function withoutCredentials(text: string): string {
  return SHAPES.reduce((clean, [shape, shown]) => clean.replace(shape, shown), text.slice(0, MAX_SEARCHED));
}
