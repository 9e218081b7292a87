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
export function withoutEchoes(response: TransportResponse, sent: HeaderFields): TransportResponse {
  const secrets = secretsOf(sent);
  if (secrets.length === 0) return response;
  const { warning } = response.headers;
  const headers =
    warning === undefined ? response.headers : { ...response.headers, warning: withoutSecrets(warning, secrets) };
  const { status } = response;
  const cancel = () => response.cancel();
  if (status < 400) return { status, headers, body: response.body, bytes: () => response.bytes(), cancel };

  // Whole, so that no secret is cut in two.
  const bytes = async () => {
    const whole = await response.bytes();
    const text = Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength).toString('utf8');
    return secrets.some((secret) => text.includes(secret)) ? Buffer.from(withoutSecrets(text, secrets)) : whole;
  };
  return { status, headers, body: once(bytes), bytes, cancel };
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
      // As it stands, and as it stands in JSON (and in the quotes of a warning).
      .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
      .toSorted((a, b) => b.length - a.length)
  );
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);
}
