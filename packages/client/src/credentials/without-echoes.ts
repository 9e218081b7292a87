import type { TransportResponse } from '../transport/transport.ts';
import type { HeaderFields } from '../transport/wire.ts';

const HIDDEN = '[redacted]';

/** What is shorter stands in many a text by chance. */
const SHORTEST_SECRET = 4;

/**
 * A response that quotes no credential of its request. Some servers and proxies do, in the message of a refusal or in
 * a warning, and from there they would come into errors and logs.
 *
 * @param sent the headers by which the request was authenticated.
 */
export function withoutEchoes(
  response: Omit<TransportResponse, 'withoutCredentials'>,
  sent: HeaderFields,
): TransportResponse {
  const { status } = response;
  const secrets = secretsOf(sent);
  // Made anew for a part of a watch: nothing but the headers is to be kept for as long as that is open.
  const withoutCredentials = <T>(part: T) => valueWithout(part, secretsOf(sent)) as T;
  const rest = {
    status,
    headers:
      secrets.length > 0 ? (valueWithout(response.headers, secrets) as Record<string, string>) : response.headers,
    withoutCredentials,
    cancel: () => response.cancel(),
  };
  if (status < 400 || secrets.length === 0) {
    return { ...rest, body: response.body, bytes: () => response.bytes() };
  }

  // Whole, so that no secret is cut in two.
  const bytes = async () => {
    const { buffer, byteOffset, byteLength } = await response.bytes();
    return Buffer.from(textWithout(Buffer.from(buffer, byteOffset, byteLength).toString('utf8'), secrets));
  };
  return { ...rest, body: once(bytes), bytes };
}

async function* once(bytes: () => Promise<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  yield await bytes();
}

/** The values of the headers, without a scheme such as `Bearer`, and the password of `Basic`. */
function secretsOf(sent: HeaderFields): readonly string[] {
  return (
    Object.entries(sent)
      .filter(([name]) => !name.startsWith('impersonate-'))
      .flatMap(([, value]) => value)
      .flatMap((value) => {
        const [scheme = '', credential] = value.split(' ', 2);
        if (credential === undefined) return [value];
        if (scheme !== 'Basic') return [credential];
        const user = Buffer.from(credential, 'base64').toString();
        return [credential, user, user.slice(user.indexOf(':') + 1)];
      })
      .filter((secret) => secret.length >= SHORTEST_SECRET)
      // As it stands, and as it stands in JSON within a text, and in the quotes of a warning.
      .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
      .toSorted((a, b) => b.length - a.length)
  );
}

/** In JSON there are several ways to write a character: only what is meant by it shows what is quoted. */
function textWithout(text: string, secrets: readonly string[]): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return stringWithout(text, secrets);
  }
  return JSON.stringify(valueWithout(value, secrets));
}

/** @param value of JSON. */
function valueWithout(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return stringWithout(value, secrets);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => valueWithout(item, secrets));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [stringWithout(name, secrets), valueWithout(field, secrets)]),
  );
}

function stringWithout(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);
}
