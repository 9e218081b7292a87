import { Redactor } from './redactor.ts';

/** Names and values of the protocol, which are not secret. */
const PROTOCOL: ReadonlySet<string> = new Set([
  'ExecCredential',
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
  ...['apiVersion', 'kind', 'spec', 'interactive', 'cluster', 'metadata', 'creationTimestamp', 'status'],
  ...['token', 'expirationTimestamp', 'clientCertificateData', 'clientKeyData'],
]);

/** Minimum length of a field name that may be a secret, in characters. */
const SHORTEST_NAME = 4;
/** Maximum total length of the secrets in one output, in characters. Beyond it, the error output is withheld. */
const MOST_SECRETS = 32 * 1024;
/**
 * Number of characters of the error output that an error shows: its end, which says why the program failed. A log line
 * keeps the beginning of a message, so the whole message must fit into it.
 */
const SHOWN = 768;

const WITHHELD = 'its error output is not shown, because its standard output may hold credentials and';

/**
 * Returns every string and number in the output of a plugin, and the names of fields that the protocol does not define.
 *
 * @returns `undefined` if the secrets are unknown, because the output is not JSON or is too large.
 */
export function secretsIn(stdout: string): readonly string[] | undefined {
  if (stdout.trim() === '') return [];
  if (stdout.length > MOST_SECRETS) return undefined;
  const found = new Set<string>();
  try {
    // Numbers as written, because large ones lose digits when parsed.
    JSON.parse(stdout, (name, value: unknown, { source }: { readonly source?: string } = {}) => {
      if (name.length >= SHORTEST_NAME) found.add(name);
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
 * @param secrets the secrets of its output, see {@link secretsIn}.
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
  return whole.trim().slice(-SHOWN).trim();
}
