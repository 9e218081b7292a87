import type { AllowedCommand } from './allowed-command.ts';

/**
 * The address of one cluster, and the credentials for it (client-go's `rest.Config`). A config is plain data: configs
 * are compared by value, and printing a config that a function of this package returned shows no credential.
 */
export interface ClusterConfig {
  /** Absolute URL of the API server, `https://` or `http://`. It may have a base path. */
  readonly server: string;
  readonly tls?: TlsConfig;
  readonly auth?: Auth;
  readonly impersonate?: Impersonation;
  /**
   * URL of the proxy for all connections: `http://`, `https://`, `socks5://` or `socks5h://`. The proxy resolves the
   * server's name. A user name and password in the URL become {@link ClusterConfig.proxyAuth}. Default: none.
   */
  readonly proxyUrl?: string;
  /** User name and password for the proxy. Default: the ones in `proxyUrl`. */
  readonly proxyAuth?: ProxyAuth;
  /** The endpoints that connections may lead to. Default: any. */
  readonly endpoints?: EndpointRules;
  /** The header `user-agent` of each request. Default: `mcr/<version>`. */
  readonly userAgent?: string;
  /** Deadline of each request except watches, in milliseconds. Default: 30,000. */
  readonly requestTimeout?: number;
  /** Maximum requests per second. Default: no limit; API Priority and Fairness on the server applies. */
  readonly qps?: number;
  /** Maximum burst of requests above `qps`. Default: twice `qps`. */
  readonly burst?: number;
}

/** User name and password for a proxy. */
export interface ProxyAuth {
  readonly username: string;
  readonly password: string;
}

/** TLS settings: verification of the server, and client certificate. */
export interface TlsConfig {
  /** PEM of the certificate authorities that verify the server's certificate. Default: the system's. */
  readonly caData?: string;
  /** File with the certificate authorities, read again when it changes. Mutually exclusive with `caData`. */
  readonly caFile?: string;
  /** Name expected in the server's certificate. Default: the host of `server`. */
  readonly serverName?: string;
  /** Whether to accept any certificate of the server. Default: false. */
  readonly insecureSkipVerify?: boolean;
  /** PEM of the client certificate. */
  readonly certData?: string;
  /** PEM of the client certificate's key. */
  readonly keyData?: string;
  /** File with the client certificate, read again when it changes. Mutually exclusive with `certData`. */
  readonly certFile?: string;
  /** File with the client certificate's key, read again when it changes. Mutually exclusive with `keyData`. */
  readonly keyFile?: string;
}

/**
 * Restricts the endpoints that connections may lead to, so that a kubeconfig written by others cannot direct requests
 * to internal services. The addresses that a name resolves to are checked at each connect. A proxy resolves names
 * itself, so with a proxy the name is checked as written, and the proxy's own address is checked only against
 * `metadataAddresses`.
 */
export interface EndpointRules {
  /**
   * Host names, addresses and CIDR blocks. `*.example.com` matches every name below `example.com`. Default: any.
   */
  readonly allow?: readonly string[];
  /**
   * Whether connections may lead to link-local addresses, the metadata services of clouds, which serve machine
   * credentials, and multicast or unspecified addresses. `false` takes precedence over `allow`. Default: true.
   */
  readonly metadataAddresses?: boolean;
}

/** Authentication of requests. */
export type Auth = TokenAuth | TokenFileAuth | BasicAuth | ExecAuth | AuthProviderAuth | CustomAuth;

/** A bearer token. */
export interface TokenAuth {
  readonly type: 'token';
  readonly token: string;
}

/** A bearer token in a file that is read again when it changes, such as a projected service account token. */
export interface TokenFileAuth {
  readonly type: 'tokenFile';
  readonly path: string;
}

/** A user name and password (HTTP Basic). API servers no longer support it; some proxies do. */
export interface BasicAuth {
  readonly type: 'basic';
  readonly username: string;
  readonly password: string;
}

/** A `client.authentication.k8s.io` exec credential plugin. */
export interface ExecAuth {
  readonly type: 'exec';
  readonly apiVersion: string;
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether to pass the server to the plugin, in `KUBERNETES_EXEC_INFO`. Default: false. */
  readonly provideClusterInfo?: boolean;
  /**
   * Content of `spec.cluster.config` in `KUBERNETES_EXEC_INFO`: the cluster's extension
   * `client.authentication.k8s.io/exec`.
   */
  readonly clusterInfoConfig?: unknown;
  /** How to install the plugin, shown in the error if the command is not found. */
  readonly installHint?: string;
  /**
   * The plugins that may be run, with their arguments and variables. If set, the plugin does not inherit the
   * environment of this process; see {@link AllowedCommand.inheritEnv}. Default: any.
   */
  readonly allowedCommands?: readonly AllowedCommand[];
}

/** A kubeconfig's `auth-provider`: `oidc`, or a provider that `@kubernetes/client-node` implements. */
export interface AuthProviderAuth {
  readonly type: 'authProvider';
  readonly name: string;
  readonly config: Readonly<Record<string, string>>;
}

/** Authentication by code of the caller. */
export interface CustomAuth {
  readonly type: 'custom';
  /** Returns the headers of a request. Called before every request. */
  readonly headers: (signal: AbortSignal) => Promise<Readonly<Record<string, string>>>;
}

/** The user that requests act as. (Upstream: client-go's `rest.ImpersonationConfig`.) */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
