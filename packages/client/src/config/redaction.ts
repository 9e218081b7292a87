import { inspect } from 'node:util';
import type { Auth, ClusterConfig, TlsConfig } from './cluster-config.ts';
import { withProxyAuth } from './proxy-auth.ts';

const HIDDEN = '[redacted]';

/** Also matches URLs without the two slashes, with backslashes, or with line breaks, which URL parsers accept. */
const BEFORE_PROXY_HOST = /^\s*((?:https?|socks5h?):)?.*@/is;

/**
 * Returns a copy of `config` that is safe to print: `console.log`, `util.inspect` and `JSON.stringify` show no
 * credential.
 *
 * `auth`, `tls` and `proxyAuth` each hide their own credentials, so copies such as `{ ...config, userAgent: 'x' }` are
 * safe too. A user name and password in `proxyUrl` are moved to `proxyAuth`. Copies of `auth`, `tls` or `proxyAuth`
 * themselves hide nothing until they are passed to this function again. Transports and clusters keep the copy that it
 * returns.
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

/** Redacts the user name and password of an invalid proxy URL. */
function withoutProxyUser(config: ClusterConfig): object {
  return { ...config, proxyUrl: config.proxyUrl?.replace(BEFORE_PROXY_HOST, `$1//${HIDDEN}@`) };
}

function withoutAccount(): object {
  return { username: HIDDEN, password: HIDDEN };
}

/**
 * Adds hooks that redact the value when it is printed. They are not enumerable, so copies and comparisons ignore them.
 */
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
      // Arguments and variables of a plugin may be secrets.
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
