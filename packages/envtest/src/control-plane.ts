import type { ClusterConfig } from '@mcr/client';
import { type Backend } from './backend.ts';
import { type EmbeddedApiServerOptions, type EmbeddedClusterOptions } from './embedded-api-server.ts';
import type { InstallOptions } from './install/installation.ts';
import type { LocalWebhooks } from './install/local-webhooks.ts';
import type { Credentials } from './kubeconfig.ts';

/** A Kubernetes control plane with operations that inject faults. */
export interface ControlPlane extends Credentials, AsyncDisposable {
  readonly name: string;
  readonly config: ClusterConfig;
  readonly kubeconfig: string;
  /** Where the webhooks of the option `webhooks` are called; `undefined` without that option. */
  readonly webhooks: LocalWebhooks | undefined;
  /** Process id of the API server; 0 if it runs in containers or is not running. */
  readonly pid: number;
  /** Issues a bearer token. Earlier credentials remain valid. @param owner default: a cluster administrator. */
  issueToken(owner?: CredentialOwner): Promise<Credentials>;
  /** Issues a client certificate. */
  issueCertificate(owner: CredentialOwner): Promise<Credentials>;
  /** Refuses these credentials from now on. Open watches that use them continue. */
  revokeToken(credentials: Pick<Credentials, 'config'>): Promise<void>;
  /** Creates `count` copies of `object`, named `<name>-0` and so on, as load for benchmarks. */
  seed(object: SeedObject, count: number): Promise<void>;
  /** Discards the history, as a compaction of etcd does: earlier watches and pages get 410. */
  compact(): Promise<void>;
  /** Ends every watch normally, as at its timeout. */
  endWatches(): Promise<void>;
  /** Refuses the next requests with 429 and `Retry-After`, as API priority and fairness does. */
  throttle(options: ThrottleOptions): Promise<void>;
  /** Resets every connection. New connections are accepted. */
  cutConnections(): Promise<void>;
  /** Stops listening until {@link resume}: open connections are reset and new ones are refused. */
  suspend(): Promise<void>;
  resume(): Promise<void>;
  /** Kills the process immediately, as in a crash. All control planes that it serves end with it. */
  kill(): Promise<void>;
  /**
   * Restarts the process, after ending it if it still runs. Port, data, certificate and tokens stay the same.
   *
   * @throws {Error} if the embedded server has no `dataDir`, because its data was lost with the process.
   */
  restart(): Promise<void>;
  /** Ends the control plane, and its process if it serves no other control plane. */
  stop(): Promise<void>;
}

/** User that credentials are issued for. RBAC decides what it may do. */
export interface CredentialOwner {
  readonly user: string;
  /** Groups of the user. Default: only those of every user. `system:masters` has all permissions. */
  readonly groups?: readonly string[];
}

export interface ThrottleOptions {
  /** Number of requests to refuse; 0 cancels an earlier call. */
  readonly requests: number;
  /** Value of `Retry-After`. Default: 1. */
  readonly retryAfterSeconds?: number;
}

/** Fields that an object needs to be copied. */
export interface SeedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Options of {@link createControlPlane}. */
export interface ControlPlaneOptions
  extends EmbeddedApiServerOptions, Omit<EmbeddedClusterOptions, 'name'>, InstallOptions {
  /** Name of the cluster. Default: `control-plane`. */
  readonly name?: string | undefined;
  /** Default: `auto`. */
  readonly backend?: Backend | undefined;
  /**
   * Whether to use the cluster of the current kubeconfig instead of starting one. It installs what the other options
   * name, and stops nothing. Default: false.
   */
  readonly existing?: boolean | undefined;
  /** Path of the kubeconfig of an existing cluster. Default: as for kubectl. */
  readonly kubeconfig?: string | undefined;
  /** Context of an existing cluster. Default: the current context of the kubeconfig. */
  readonly context?: string | undefined;
}
