import { inspect } from 'node:util';
import type { Auth, ClusterConfig, TlsConfig } from './cluster-config.ts';

const HIDDEN = '[redacted]';

/** URLs are also read without the two slashes, with backslashes, and with line breaks. */
const BEFORE_PROXY_HOST = /^\s*((?:https?|socks5h?):)?.*@/is;

/**
 * A copy of `config` that can be printed: `console.log`, `util.inspect` and `JSON.stringify` show no credential of it.
 *
 * Credentials stand in `auth` and `tls`, and each of the two hides its own. So `{ ...config, userAgent: 'x' }` can be
 * printed too; an `auth` or `tls` written anew hides nothing until it has passed through here, and neither does a copy
 * of a config whose `proxyUrl` holds a user name or password. Whoever keeps a config (a transport, a cluster) keeps what
 * this returns.
 */
export function printable(config: ClusterConfig): ClusterConfig {
  const copy = {
    ...config,
    ...(config.auth && { auth: hiding(config.auth, withoutSecrets) }),
    ...(config.tls && { tls: hiding(config.tls, withoutKey) }),
  };
  return copy.proxyUrl?.includes('@') ? hiding(copy, withoutProxyUser) : copy;
}

function withoutProxyUser(config: ClusterConfig): object {
  return { ...config, proxyUrl: config.proxyUrl?.replace(BEFORE_PROXY_HOST, `$1//${HIDDEN}@`) };
}

/** The hooks are not enumerable: comparing, spreading and cloning see plain data. */
function hiding<T extends object>(value: T, redact: (value: T) => object): T {
  return Object.defineProperties(
    { ...value },
    {
      toJSON: { value: () => redact(value) },
      [inspect.custom]: { value: () => redact(value) },
    },
  );
}

function withoutKey(tls: TlsConfig): TlsConfig {
  return tls.keyData === undefined ? { ...tls } : { ...tls, keyData: HIDDEN };
}

function withoutSecrets(auth: Auth): object {
  switch (auth.type) {
    case 'token':
      return { ...auth, token: HIDDEN };
    case 'basic':
      return { ...auth, password: HIDDEN };
    case 'exec':
      // Plugins are given secrets in arguments and variables alike.
      return {
        ...auth,
        ...(auth.args && { args: auth.args.map(() => HIDDEN) }),
        ...(auth.env && { env: Object.fromEntries(Object.keys(auth.env).map((name) => [name, HIDDEN])) }),
        ...(auth.allowedCommands && { allowedCommands: auth.allowedCommands.map(({ command }) => command) }),
        ...(auth.clusterInfoConfig !== undefined && { clusterInfoConfig: HIDDEN }),
      };
    case 'authProvider':
      return { ...auth, config: Object.fromEntries(Object.keys(auth.config).map((name) => [name, HIDDEN])) };
    case 'tokenFile':
    case 'custom':
      return { ...auth };
  }
}
