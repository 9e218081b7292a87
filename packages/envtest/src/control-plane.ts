import type { ClusterConfig } from '@mcr/client';
import { parseOptions } from '@mcr/client';
import { z } from 'zod';
import { BinariesHost } from './binaries/binaries-host.ts';
import { backendSchema, chooseBackend, type Backend } from './backend.ts';
import {
  clusterOptionsSchema,
  createEmbeddedApiServer,
  serverOptionsSchema,
  type EmbeddedApiServerOptions,
  type EmbeddedClusterOptions,
} from './embedded-api-server.ts';
import { KindHost } from './kind/kind-host.ts';
import type { Credentials } from './kubeconfig.ts';

/** A Kubernetes control plane with operations that inject faults. */
export interface ControlPlane extends Credentials, AsyncDisposable {
  readonly name: string;
  readonly config: ClusterConfig;
  readonly kubeconfig: string;
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
export interface ControlPlaneOptions extends EmbeddedApiServerOptions, Omit<EmbeddedClusterOptions, 'name'> {
  /** Name of the cluster. Default: `control-plane`. */
  readonly name?: string | undefined;
  /** Default: `auto`. */
  readonly backend?: Backend | undefined;
}

const optionsSchema = z.strictObject({
  ...serverOptionsSchema.shape,
  ...clusterOptionsSchema.partial({ name: true }).shape,
  backend: backendSchema,
} satisfies Record<keyof ControlPlaneOptions, z.ZodType>);

/**
 * Starts a control plane in separate processes, which end with this process: the embedded server or, with backend
 * `binaries`, an etcd and a kube-apiserver. With backend `kind` it starts a Kind cluster, which exists until `stop()`.
 *
 * @param options.backend default: `auto`, which is `$MCR_BACKEND`, else `binaries` if `$KUBEBUILDER_ASSETS` is set,
 *   else `embedded`.
 * @param options.name default: `control-plane`.
 * @param options.port port on 127.0.0.1. Default: a free one.
 * @param options.crds CustomResourceDefinitions to install.
 * @throws {UnsupportedBackendError} if `$MCR_BACKEND` is not the name of a backend.
 * @throws {TypeError} if an option is unknown or invalid, or the backend does not support it.
 * @throws {Error} that names the port if it is in use, or with the end of its log if a program does not start.
 */
export async function createControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const {
    backend,
    name = 'control-plane',
    port,
    crds,
    ...serverOptions
  } = parseOptions('createControlPlane', optionsSchema, options);
  const chosen = chooseBackend(backend);
  refuseOptions(chosen, options);
  if (chosen === 'kind') return new KindHost().create({ name, crds });
  if (chosen === 'binaries') return new BinariesHost(serverOptions.dataDir).create({ name, port, crds });
  const server = await createEmbeddedApiServer(serverOptions);
  try {
    return await server.createCluster({ name, port, crds }, () => server.stop());
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Options that a backend does not support. */
const REFUSED = {
  embedded: [],
  binaries: ['historyLimit', 'bookmarkInterval'],
  kind: ['port', 'dataDir', 'historyLimit', 'bookmarkInterval'],
} as const;

/** @throws {TypeError} that names an option that the backend does not support. */
export function refuseOptions(
  backend: keyof typeof REFUSED,
  options: Partial<Record<keyof ControlPlaneOptions, unknown>>,
): void {
  for (const option of REFUSED[backend]) {
    if (options[option] === undefined) continue;
    throw new TypeError(
      `backend "${backend}" does not support the option ${JSON.stringify(option)}: use backend "embedded"`,
    );
  }
}
