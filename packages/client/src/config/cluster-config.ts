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
  readonly proxyUrl?: string;
  /** Default: `mcr/<version>`. */
  readonly userAgent?: string;
  /** Deadline of one request that is not a watch, in milliseconds. Default: 30,000. */
  readonly requestTimeout?: number;
  /** Requests per second that the client allows itself. Default: no limit; the server's own fairness decides. */
  readonly qps?: number;
  /** Requests above `qps` that may be sent at once. Default: twice `qps`. */
  readonly burst?: number;
}

export interface TlsConfig {
  /** PEM of the authorities that the server's certificate is checked against. Default: the system's. */
  readonly caData?: string;
  /** The name expected in the server's certificate. Default: the host of `server`. */
  readonly serverName?: string;
  readonly insecureSkipVerify?: boolean;
  /** PEM of the client certificate. */
  readonly certData?: string;
  /** PEM of the client certificate's key. */
  readonly keyData?: string;
}

export type Auth = TokenAuth | TokenFileAuth | BasicAuth | ExecAuth | CustomAuth;

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
  readonly provideClusterInfo?: boolean;
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
