import type * as ClientNode from '@kubernetes/client-node';
import type { Clock } from '../clock/clock.ts';
import { orAborted } from '../clock/or-aborted.ts';
import type { AuthProviderAuth } from '../config/cluster-config.ts';
import { TransportError } from '../errors/transport-error.ts';
import { importUnbundled } from './import-unbundled.ts';
import { OidcTokens, tokenExpiry } from './oidc.ts';
import { Redactor } from './redactor.ts';
import { RenewingSource, type Obtained } from './renewing-source.ts';

/** Deadline for obtaining a token, in milliseconds. */
const DEADLINE = 60_000;

export interface AuthProviderOptions {
  readonly server: string;
  /** The server's host and port, for messages. */
  readonly host: string;
  readonly clock: Clock;
}

/** Creates a source of tokens from a kubeconfig's `auth-provider`. A JWT is used for 80 % of its lifetime. */
export function authProvider(auth: AuthProviderAuth, { server, host, clock }: AuthProviderOptions): RenewingSource {
  const nextToken = auth.name === 'oidc' ? oidcTokens(auth, clock) : legacyTokens(auth, server);
  const obtain = async (signal: AbortSignal): Promise<Obtained> => {
    try {
      const token = await withDeadline(nextToken, { clock, signal });
      const expiry = tokenExpiry(token);
      return {
        credential: { headers: { authorization: `Bearer ${token}` } },
        ...(expiry !== undefined && { lifetime: expiry - clock.wallTime() }),
      };
    } catch (error) {
      // The error is not passed on as the cause: it may contain the response of an identity provider, or a command
      // line.
      const values = Object.values(auth.config);
      const redactor = new Redactor({ credentials: values.filter(({ length }) => length >= 8), values });
      const problem = redactor.redact(error instanceof Error ? error.message : String(error));
      throw new TransportError('credentials', host, `the auth-provider ${auth.name} returned no token: ${problem}`);
    }
  };
  return new RenewingSource(obtain, clock);
}

type NextToken = (signal: AbortSignal) => Promise<string>;

function oidcTokens({ config }: AuthProviderAuth, clock: Clock): NextToken {
  const tokens = new OidcTokens(config, clock);
  return (signal) => tokens.next(signal);
}

/** Obtains tokens of the cloud-specific auth providers that preceded exec plugins, with `@kubernetes/client-node`. */
function legacyTokens({ name, config }: AuthProviderAuth, server: string): NextToken {
  const user = { name: 'user', authProvider: { name, config: { ...config } } };
  return async () => {
    const { KubeConfig } = (await importUnbundled('@kubernetes/client-node')) as typeof ClientNode;
    const kubeconfig = new KubeConfig();
    kubeconfig.loadFromClusterAndUser({ name: 'cluster', server, skipTLSVerify: false }, user);
    const options: { headers: Record<string, string> } = { headers: {} };
    await kubeconfig.applyToHTTPSOptions(options);
    const { Authorization: authorization } = options.headers;
    if (typeof authorization === 'string') return authorization.replace(/^Bearer /, '');
    throw new Error('it is not supported: use an exec plugin instead');
  };
}

async function withDeadline(
  nextToken: NextToken,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<string> {
  const deadline = new AbortController();
  const timer = clock.schedule(DEADLINE, () => deadline.abort(new Error(`no response within ${DEADLINE} ms`)));
  const aborted = AbortSignal.any([signal, deadline.signal]);
  try {
    return await orAborted(nextToken(aborted), aborted);
  } finally {
    timer.cancel();
  }
}
