import type { Clock } from '../clock/clock.ts';
import { orAborted } from '../clock/or-aborted.ts';
import type { AuthProviderAuth } from '../config/cluster-config.ts';
import { TransportError } from '../transport/transport-error.ts';
import { RenewingSource, type Obtained } from './renewing-source.ts';
import { scrubbed } from './scrub.ts';

/** How long a provider may take, in milliseconds. */
const DEADLINE = 60_000;

/**
 * The credentials of a kubeconfig's `auth-provider`, as `@kubernetes/client-node` obtains them: `oidc`, and what clouds
 * had before there were exec plugins. It is loaded when credentials are first asked for.
 *
 * What it gives is kept until the token's own end: after its first refresh `oidc` would refresh again for each request.
 */
export function authProvider(
  auth: AuthProviderAuth,
  { server, host, clock }: { readonly server: string; readonly host: string; readonly clock: Clock },
): RenewingSource {
  let asking: Promise<() => Promise<string | undefined>> | undefined;

  const obtain = async (signal: AbortSignal): Promise<Obtained> => {
    try {
      asking ??= asker(auth, server);
      const authorization = await withDeadline((await asking)(), { clock, signal });
      if (authorization === undefined) {
        throw new Error('it is not known, or lacks what it needs to get a token (such as id-token and refresh-token)');
      }
      const end = endOfToken(authorization);
      return {
        credential: { headers: { authorization } },
        ...(end !== undefined && { lifetime: end - clock.wallTime() }),
      };
    } catch (error) {
      // Not as the cause: what identity providers answer, and how a command was called, may stand in it.
      const problem = scrubbed(error instanceof Error ? error.message : String(error), {
        secrets: Object.values(auth.config),
        output: '',
      });
      throw new TransportError('credentials', host, `the auth-provider ${auth.name} gave no credentials: ${problem}`);
    }
  };
  return new RenewingSource(obtain, clock);
}

/** Asks for the `Authorization` header. Keeps what a refresh gives, such as the next refresh token. */
async function asker(auth: AuthProviderAuth, server: string): Promise<() => Promise<string | undefined>> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const kubeconfig = new KubeConfig();
  kubeconfig.loadFromClusterAndUser(
    { name: 'cluster', server, skipTLSVerify: false },
    { name: 'user', authProvider: { name: auth.name, config: { ...auth.config } } },
  );
  return async () => {
    const options: { headers: Record<string, unknown> } = { headers: {} };
    await kubeconfig.applyToHTTPSOptions(options);
    const { Authorization: authorization } = options.headers;
    return typeof authorization === 'string' ? authorization : undefined;
  };
}

async function withDeadline<T>(
  promise: Promise<T>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<T> {
  const late = new AbortController();
  const timer = clock.schedule(DEADLINE, () => late.abort(new Error(`no answer within ${DEADLINE} ms`)));
  try {
    return await orAborted(promise, AbortSignal.any([signal, late.signal]));
  } finally {
    timer.cancel();
  }
}

/** When a JWT ends, in milliseconds since the Unix epoch. Nothing is verified: that is for the API server. */
function endOfToken(authorization: string): number | undefined {
  const [, payload = ''] = authorization.split('.');
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    if (typeof claims === 'object' && claims !== null && 'exp' in claims && typeof claims.exp === 'number') {
      return claims.exp * 1000;
    }
  } catch {
    // A token that is no JWT.
  }
  return undefined;
}
