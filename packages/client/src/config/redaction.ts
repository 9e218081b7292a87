import { inspect } from 'node:util';
import type { Auth, ClusterConfig, TlsConfig } from './cluster-config.ts';
import { withProxyAuth } from './proxy-auth.ts';

const HIDDEN = '[redacted]';

/** URLs are also read without the two slashes, with backslashes, and with line breaks. */
const BEFORE_PROXY_HOST = /^\s*((?:https?|socks5h?):)?.*@/is;

/**
 * A copy of `config` that can be printed: `console.log`, `util.inspect` and `JSON.stringify` show no credential of it.
 *
 * Credentials are in `auth`, `tls` and `proxyAuth`, and each of these hides its own, so that copies such as
 * `{ ...config, userAgent: 'x' }` can be printed too. A user name and password in `proxyUrl` are moved to `proxyAuth`. A
 * copy of `auth`, `tls` or `proxyAuth` itself hides nothing until it has passed through here. Transports and clusters keep
 * what this returns.
 */
export function printable(given: ClusterConfig): ClusterConfig {
  const config = withProxyAuth(given);
  const copy = {
    ...config,
    ...(config.auth && { auth: hiding(config.auth, withoutSecrets) }),
    ...(config.tls && { tls: hiding(config.tls, withoutKey) }),
    ...(config.proxyAuth && { proxyAuth: hiding(config.proxyAuth, withoutAccount) }),
  };
  return copy.proxyUrl?.includes('@') ? hiding(copy, withoutProxyUser) : copy;
}

/** Replaces an invalid URL. */
function withoutProxyUser(config: ClusterConfig): object {
  return { ...config, proxyUrl: config.proxyUrl?.replace(BEFORE_PROXY_HOST, `$1//${HIDDEN}@`) };
}

function withoutAccount(): object {
  return { username: HIDDEN, password: HIDDEN };
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
