/** Options of the commands that read a manager. */
export interface ManagerOptions {
  /** Addresses of the replicas. Ignored if `namespace` is set. */
  readonly url: readonly string[];
  /** Namespace of the Pods of the manager. */
  readonly namespace?: string;
  /** The Pods in `namespace`: see {@link PodSelection.manager}. */
  readonly manager?: string;
  /** Name or number of the container port of the metrics. */
  readonly port?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly tokenFile?: string;
  /** ServiceAccount in `namespace` whose token is requested. */
  readonly serviceAccount?: string;
  /** Whether the token of the kubeconfig is sent to the manager. */
  readonly sendToken?: boolean;
  readonly caFile?: string;
  /** Secret in `namespace` with the CA certificates of the manager, in the key `ca.crt`. */
  readonly caSecret?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly tlsServerName?: string;
  /** Deadline for each reading, in seconds. */
  readonly timeout: number;
}
