import { Redactor } from './redactor.ts';

/** Names and values that the protocol defines. They are not secret. */
const PROTOCOL: ReadonlySet<string> = new Set([
  'ExecCredential',
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
  ...['apiVersion', 'kind', 'spec', 'interactive', 'cluster', 'metadata', 'creationTimestamp', 'status'],
  ...['token', 'expirationTimestamp', 'clientCertificateData', 'clientKeyData'],
]);

/** Minimum length of a field name that may be a secret, in characters. */
const MIN_NAME_LENGTH = 4;
/** Maximum length of a standard output with secrets, in characters. Beyond it, the error output is withheld. */
const MAX_OUTPUT_LENGTH = 32 * 1024;
/**
 * Number of characters of the error output that an error shows. It shows the end, which says why the program failed.
 * Messages are cut at their end, so the whole message must fit into the limit of a message.
 */
const SHOWN_LENGTH = 768;

const WITHHELD = 'its error output is not shown, because its standard output may contain credentials and';

/**
 * Returns every string and number in the output of a plugin, and the names of fields that the protocol does not define.
 * Returns `undefined` if the secrets are unknown, because the output is not JSON or is too large.
 */
export function secretsIn(stdout: string): readonly string[] | undefined {
  if (stdout.trim() === '') return [];
  if (stdout.length > MAX_OUTPUT_LENGTH) return undefined;
  const found = new Set<string>();
  try {
    // Large numbers lose digits when parsed, so their source text is used.
    JSON.parse(stdout, (name, value: unknown, { source }: { readonly source?: string } = {}) => {
      if (name.length >= MIN_NAME_LENGTH) found.add(name);
      if (typeof value === 'string') found.add(value);
      else if (typeof value === 'number') found.add(source ?? String(value));
      return value;
    });
  } catch {
    return undefined;
  }
  return [...found].filter((text) => text !== '' && !PROTOCOL.has(text));
}

export interface ErrorOutput {
  readonly text: string;
  /** Whether its beginning is missing. */
  readonly isCut: boolean;
}

/**
 * Returns the end of a plugin's standard error for an error message, without the plugin's arguments and variables, and
 * without any part of its output.
 *
 * @param secrets result of {@link secretsIn} for the plugin's output.
 * @param given the plugin's arguments and variables.
 */
export function shownErrorOutput(
  { text, isCut }: ErrorOutput,
  { secrets, given }: { readonly secrets: readonly string[] | undefined; readonly given: readonly string[] },
): string {
  if (text.trim() === '') return '';
  if (!secrets) return `${WITHHELD} cannot be parsed: run the plugin by hand`;
  // An argument such as --secret=x is redacted as a whole, and so is its value.
  const values = given.flatMap((value) => [value, value.slice(value.indexOf('=') + 1)]);
  const redactor = new Redactor({ credentials: secrets, values });
  const redacted = redactor.redact(text);
  // The part that was cut off may contain the beginning of a secret.
  const whole = isCut ? redacted.slice(Math.max(redactor.longest, 8)) : redacted;
  return whole.trim().slice(-SHOWN_LENGTH).trim();
}
