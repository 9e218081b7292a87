import { Redactor } from './redactor.ts';

/** Names and values of the protocol, which are not secret. */
const PROTOCOL: ReadonlySet<string> = new Set([
  'ExecCredential',
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
  ...['apiVersion', 'kind', 'spec', 'interactive', 'cluster', 'metadata', 'creationTimestamp', 'status'],
  ...['token', 'expirationTimestamp', 'clientCertificateData', 'clientKeyData'],
]);

/** Characters of the name of a field that may be a secret: shorter ones are names. */
const SHORTEST_NAME = 4;
/** Characters of secrets in one output, beyond which its error output is not searched for them. */
const MOST_SECRETS = 32 * 1024;
/** Characters of the error output that an error shows: the last ones, which say why a program ended. */
const SHOWN = 4096;

const WITHHELD = 'its error output is not shown, because its standard output may hold credentials and';

/**
 * Every string and number in the output of a plugin, and the names of fields that the protocol does not have.
 *
 * @returns `undefined` when it cannot be said what the secrets are, because the output is not JSON or is too much.
 */
export function secretsIn(stdout: string): readonly string[] | undefined {
  if (stdout.trim() === '') return [];
  if (stdout.length > MOST_SECRETS) return undefined;
  const found = new Set<string>();
  try {
    // Numbers as they are written: large ones lose digits when they are parsed.
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
 * The end of what a plugin wrote to its standard error, fit for an error message: without what it was given, and without
 * any part of what it gives.
 *
 * @param secrets those of its output, see {@link secretsIn}.
 */
export function shownErrorOutput(
  { text, isCut }: ErrorOutput,
  { secrets, given }: { readonly secrets: readonly string[] | undefined; readonly given: readonly string[] },
): string {
  if (text.trim() === '') return '';
  if (!secrets) return `${WITHHELD} cannot be parsed: run the plugin by hand`;
  // An argument such as --secret=x holds a secret as well as it is one.
  const values = given.flatMap((value) => [value, value.slice(value.indexOf('=') + 1)]);
  const redactor = new Redactor({ credentials: secrets, values });
  const redacted = redactor.redact(text);
  // What was cut off may have been the beginning of a secret.
  const whole = isCut ? redacted.slice(Math.max(redactor.longest, 8)) : redacted;
  return whole.trim().slice(-SHOWN).trim();
}
