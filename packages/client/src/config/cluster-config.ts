import type { AllowedCommand } from './allowed-command.ts';

/**
 * How to reach and authenticate to one cluster: what client-go calls `rest.Config`. Plain data: two configs are
 * compared by value, and printing one shows no credential.
 */
export interface ClusterConfig {
  /** Absolute URL of the API server, `https://` or `http://`; may have a base path. */
  readonly server: string;
  readonly tls?: TlsConfig;
  readonly auth?: Auth;
  readonly impersonate?: Impersonation;
  /**
   * The proxy that connections go through: `http://`, `https://`, `socks5://` or `socks5h://`. It resolves the server's
   * name. A user name and password in it become {@link ClusterConfig.proxyAuth}. Default: none.
   */
  readonly proxyUrl?: string;
  /** The user name and password for the proxy. Default: those in `proxyUrl`. */
  readonly proxyAuth?: ProxyAuth;
  /** Where connections may lead. Default: anywhere. */
  readonly endpoints?: EndpointRules;
  /** Default: `mcr/<version>`. */
  readonly userAgent?: string;
  /** Deadline of one request that is not a watch, in milliseconds. Default: 30,000. */
  readonly requestTimeout?: number;
  /** Requests per second that the client allows itself. Default: no limit; the server's own fairness decides. */
  readonly qps?: number;
  /** Requests above `qps` that may be sent at once. Default: twice `qps`. */
  readonly burst?: number;
}

export interface ProxyAuth {
  readonly username: string;
  readonly password: string;
}

export interface TlsConfig {
  /** PEM of the authorities that the server's certificate is checked against. Default: the system's. */
  readonly caData?: string;
  /** A file of such authorities, read again when it changes. Not beside `caData`. */
  readonly caFile?: string;
  /** The name expected in the server's certificate. Default: the host of `server`. */
  readonly serverName?: string;
  readonly insecureSkipVerify?: boolean;
  /** PEM of the client certificate. */
  readonly certData?: string;
  /** PEM of the client certificate's key. */
  readonly keyData?: string;
  /** A file with the client certificate, read again when it changes. Not beside `certData`. */
  readonly certFile?: string;
  /** A file with the client certificate's key, read again when it changes. Not beside `keyData`. */
  readonly keyFile?: string;
}

/**
 * Where connections to a server may lead, so that input of others cannot aim this process at what it should not reach.
 * The addresses that a name resolves to are checked when they are connected to. By way of a proxy, which resolves names
 * by itself, the name is checked as it is written, and the proxy's own address by `metadataAddresses` only.
 */
export interface EndpointRules {
  /** Host names (`api.example.com`, `*.example.com`: any below it), addresses and CIDR blocks. Default: any. */
  readonly allow?: readonly string[];
  /**
   * Whether link-local addresses, where clouds serve machine credentials, and the like may be reached; `false` goes
   * before `allow`. Default: true.
   */
  readonly metadataAddresses?: boolean;
}

export type Auth = TokenAuth | TokenFileAuth | BasicAuth | ExecAuth | AuthProviderAuth | CustomAuth;

export interface TokenAuth {
  readonly type: 'token';
  readonly token: string;
}

/** A bearer token in a file that is read again when it changes (projected service account tokens). */
export interface TokenFileAuth {
  readonly type: 'tokenFile';
  readonly path: string;
}

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
  /** Tells the plugin which server it is for, in `KUBERNETES_EXEC_INFO`. Default: false. */
  readonly provideClusterInfo?: boolean;
  /** Stands in `KUBERNETES_EXEC_INFO` as `spec.cluster.config`: the cluster's extension `client.authentication.k8s.io/exec`. */
  readonly clusterInfoConfig?: unknown;
  /** How to get the plugin; told when there is no such command. */
  readonly installHint?: string;
  /**
   * The plugins that may be run, with their arguments and variables. With a list, the plugin does not inherit the
   * environment of this process, see {@link AllowedCommand.inheritEnv}. Default: any.
   */
  readonly allowedCommands?: readonly AllowedCommand[];
}

/** A kubeconfig's `auth-provider`: `oidc`, or one that `@kubernetes/client-node` implements. */
export interface AuthProviderAuth {
  readonly type: 'authProvider';
  readonly name: string;
  readonly config: Readonly<Record<string, string>>;
}

/** Headers from code of the caller's own, asked for before every request. */
export interface CustomAuth {
  readonly type: 'custom';
  readonly headers: (signal: AbortSignal) => Promise<Readonly<Record<string, string>>>;
}

export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
