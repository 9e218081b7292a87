import type * as ClientNode from '@kubernetes/client-node';
import type { Clock } from '../clock/clock.ts';
import { orAborted } from '../clock/or-aborted.ts';
import type { AuthProviderAuth } from '../config/cluster-config.ts';
import { TransportError } from '../errors/transport-error.ts';
import { importUnbundled } from './import-unbundled.ts';
import { endOfToken, OidcTokens } from './oidc.ts';
import { Redactor } from './redactor.ts';
import { RenewingSource, type Obtained } from './renewing-source.ts';

/** How long a provider may take, in milliseconds. */
const DEADLINE = 60_000;

export interface AuthProviderOptions {
  readonly server: string;
  /** The server's host and port, for messages. */
  readonly host: string;
  readonly clock: Clock;
}

/** The tokens of a kubeconfig's `auth-provider`, kept until 80 % of a JWT's life. */
export function authProvider(auth: AuthProviderAuth, { server, host, clock }: AuthProviderOptions): RenewingSource {
  const nextToken = auth.name === 'oidc' ? oidcTokens(auth, clock) : legacyTokens(auth, server);
  const obtain = async (signal: AbortSignal): Promise<Obtained> => {
    try {
      const token = await withDeadline(nextToken, { clock, signal });
      const end = endOfToken(token);
      return {
        credential: { headers: { authorization: `Bearer ${token}` } },
        ...(end !== undefined && { lifetime: end - clock.wallTime() }),
      };
    } catch (error) {
      // Not as the cause: what an identity provider answers, and how a command was called, may stand in it.
      const values = Object.values(auth.config);
      const redactor = new Redactor({ credentials: values.filter(({ length }) => length >= 8), values });
      const problem = redactor.redact(error instanceof Error ? error.message : String(error));
      throw new TransportError('credentials', host, `the auth-provider ${auth.name} gave no token: ${problem}`);
    }
  };
  return new RenewingSource(obtain, clock);
}

type NextToken = (signal: AbortSignal) => Promise<string>;

function oidcTokens({ config }: AuthProviderAuth, clock: Clock): NextToken {
  const tokens = new OidcTokens(config, clock);
  return (signal) => tokens.next(signal);
}

/** What clouds had before there were exec plugins, as `@kubernetes/client-node` speaks it. */
function legacyTokens({ name, config }: AuthProviderAuth, server: string): NextToken {
  const user = { name: 'user', authProvider: { name, config: { ...config } } };
  return async () => {
    const { KubeConfig } = (await importUnbundled('@kubernetes/client-node')) as typeof ClientNode;
    const kubeconfig = new KubeConfig();
    kubeconfig.loadFromClusterAndUser({ name: 'cluster', server, skipTLSVerify: false }, user);
    const options: { headers: Record<string, unknown> } = { headers: {} };
    await kubeconfig.applyToHTTPSOptions(options);
    const { Authorization: authorization } = options.headers;
    if (typeof authorization === 'string') return authorization.replace(/^Bearer /, '');
    throw new Error('it is not known: use an exec plugin instead');
  };
}

async function withDeadline(
  nextToken: NextToken,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<string> {
  const late = new AbortController();
  const timer = clock.schedule(DEADLINE, () => late.abort(new Error(`no answer within ${DEADLINE} ms`)));
  const ending = AbortSignal.any([signal, late.signal]);
  try {
    return await orAborted(nextToken(ending), ending);
  } finally {
    timer.cancel();
  }
}
