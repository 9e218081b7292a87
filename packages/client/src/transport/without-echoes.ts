import { excessIn, STATUS_LIMITS } from '../json/structure.ts';
import type { TransportResponse } from './transport.ts';
import type { HeaderFields } from '../credentials/credential-source.ts';
import { Redactor } from '../credentials/redactor.ts';

const HIDDEN = '[redacted]';

/** Minimum length of a credential that is redacted, in characters. Shorter texts occur by chance. */
const MIN_SECRET_LENGTH = 4;

/**
 * Number of characters of a refusal that are kept. Errors show less, and the search for secrets takes about a
 * microsecond per character.
 */
const MAX_TEXT_LENGTH = 64 * 1024;

/** Standard headers of a success. They are not redacted, because errors and logs do not quote them. */
const NEVER_QUOTED: ReadonlySet<string> = new Set([
  ...['audit-id', 'cache-control', 'content-encoding', 'content-length', 'content-type', 'date'],
  ...['x-kubernetes-pf-flowschema-uid', 'x-kubernetes-pf-prioritylevel-uid'],
]);

/**
 * Returns a response without the credentials of its request. Some servers and proxies quote them in the message of a
 * refusal or in a warning, which errors and logs contain.
 *
 * @param sent the headers that authenticated the request.
 */
export function withoutEchoes(
  response: Omit<TransportResponse, 'withoutCredentials'>,
  sent: HeaderFields,
): TransportResponse {
  const { status } = response;
  const rest = {
    status,
    headers: headersWithout(response, sent),
    withoutCredentials: <T>(part: T) => partWithout(part, sent),
    cancel: () => response.cancel(),
  };
  const redactor = status < 400 ? undefined : redactorOf(sent);
  if (!redactor) return { ...rest, body: response.body, bytes: () => response.bytes() };

  // Redacted as a whole, so that no secret is split.
  const bytes = async () => {
    const { buffer, byteOffset, byteLength } = await response.bytes();
    return Buffer.from(textWithout(Buffer.from(buffer, byteOffset, byteLength).toString('utf8'), redactor));
  };
  return { ...rest, body: once(bytes), bytes };
}

async function* once(bytes: () => Promise<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  yield await bytes();
}

/**
 * Shared by all requests with the same credentials, because creating a redactor takes longer than using it. Most requests
 * need none, so an unused one is collected.
 */
const redactors = new WeakMap<HeaderFields, WeakRef<Redactor>>();

/**
 * Returns the redactor for credentials in headers: values without a scheme such as `Bearer`, and passwords of `Basic`.
 */
function redactorOf(sent: HeaderFields): Redactor | undefined {
  const known = redactors.get(sent)?.deref();
  if (known) return known;
  const secrets = secretsOf(sent);
  if (secrets.credentials.length + secrets.values.length === 0) return undefined;
  const redactor = new Redactor(secrets);
  redactors.set(sent, new WeakRef(redactor));
  return redactor;
}

function secretsOf(sent: HeaderFields) {
  const credentials: string[] = [];
  const values: string[] = [];
  const fields = Object.entries(sent).filter(([name]) => !name.startsWith('impersonate-'));
  for (const value of fields.flatMap(([, field]) => field)) {
    values.push(value);
    const [, scheme, credential] = /^(\S+) (.*)$/s.exec(value) ?? [];
    if (credential === undefined) continue;
    credentials.push(credential);
    if (scheme !== 'Basic') continue;
    const user = Buffer.from(credential, 'base64').toString();
    // The user name alone is not secret.
    values.push(user);
    credentials.push(user.slice(user.indexOf(':') + 1));
  }
  return { values, credentials: credentials.filter(({ length }) => length >= MIN_SECRET_LENGTH) };
}

function headersWithout(
  { status, headers }: Pick<TransportResponse, 'status' | 'headers'>,
  sent: HeaderFields,
): Readonly<Record<string, string>> {
  const isSafe = (name: string): boolean => status < 400 && NEVER_QUOTED.has(name);
  if (Object.keys(headers).every(isSafe)) return headers;
  const redactor = redactorOf(sent);
  if (!redactor) return headers;
  const entries = Object.entries(headers).map(([name, value]): [string, string] =>
    isSafe(name) ? [name, value] : [redactor.redact(name), redactor.redact(value)],
  );
  return Object.fromEntries(entries);
}

function partWithout<T>(part: T, sent: HeaderFields): T {
  const redactor = redactorOf(sent);
  return (redactor ? valueWithout(part, new Limited(redactor)) : part) as T;
}

/** Redacts the first {@link MAX_TEXT_LENGTH} characters of all texts together, and drops the rest. */
class Limited {
  readonly #redactor: Redactor;
  #left = MAX_TEXT_LENGTH;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  redact(text: string): string {
    const kept = text.slice(0, this.#left);
    this.#left -= kept.length;
    return this.#redactor.redact(kept);
  }
}

/**
 * Redacts the values of a JSON text, because JSON can escape a character in several ways. Other text is redacted as is.
 */
function textWithout(text: string, redactor: Redactor): string {
  // Redaction visits every value, so their number is limited.
  if (excessIn(text, STATUS_LIMITS) !== undefined) return HIDDEN;
  try {
    return JSON.stringify(valueWithout(JSON.parse(text), new Limited(redactor)));
  } catch {
    // The text is not JSON, or nested too deeply.
    return new Limited(redactor).redact(text);
  }
}

/** Redacts the strings and names in a JSON value. */
function valueWithout(value: unknown, redactor: Limited): unknown {
  if (typeof value === 'string') return redactor.redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => valueWithout(item, redactor));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [redactor.redact(name), valueWithout(field, redactor)]),
  );
}
