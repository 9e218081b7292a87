import type { Clock } from '../clock/clock.ts';
import { checkAllowedCommands } from '../config/allowed-command.ts';
import type { ClusterConfig, CustomAuth, TlsConfig } from '../config/cluster-config.ts';
import { execProblem } from '../config/exec-rules.ts';
import { TransportError } from '../errors/transport-error.ts';
import { authProvider } from './auth-provider.ts';
import { constantSource, type CredentialSource } from './credential-source.ts';
import { execPlugin } from './exec-plugin.ts';
import { TokenFile } from './token-file.ts';

export interface SourceContext {
  /** The server's host and port, for messages. */
  readonly host: string;
  readonly clock: Clock;
  /** Returns the config's TLS with the contents of its files. */
  readonly tls: () => Promise<TlsConfig | undefined>;
}

/**
 * Creates the credential source for the `auth` of a config.
 *
 * @throws {TypeError} if `auth` is not valid or not allowed; the message names the field.
 */
export function sourceOf(config: ClusterConfig, context: SourceContext): CredentialSource {
  const { auth, server } = config;
  const { host, clock } = context;
  switch (auth?.type) {
    case undefined:
      return constantSource({});
    case 'token':
      return constantSource({ authorization: `Bearer ${auth.token}` });
    case 'basic':
      return constantSource({
        authorization: `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`,
      });
    case 'tokenFile':
      return new TokenFile(auth.path, host, clock);
    case 'custom':
      return customSource(auth, host);
    case 'authProvider':
      return authProvider(auth, { server, host, clock });
    case 'exec': {
      checkAllowedCommands(auth.allowedCommands ?? []);
      const fault = execProblem(auth);
      if (fault) throw new TypeError(`auth.${fault.field} of the exec plugin ${auth.command} ${fault.problem}`);
      return execPlugin(auth, { ...context, config });
    }
  }
}

/**
 * Creates a source that calls `auth.headers` before every request, because the headers may be valid for one request.
 */
function customSource(auth: CustomAuth, host: string): CredentialSource {
  return {
    current: async (signal) => {
      try {
        const headers = Object.entries(await auth.headers(signal)).map(([name, value]) => [name.toLowerCase(), value]);
        return { headers: Object.fromEntries(headers) as Record<string, string> };
      } catch (cause) {
        throw new TransportError('credentials', host, 'auth.headers (type custom) failed', { cause });
      }
    },
    rejected: () => undefined,
    close: () => undefined,
  };
}
