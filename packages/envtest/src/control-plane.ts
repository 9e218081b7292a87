import type { ClusterConfig } from '@mcr/client';
import { parseOptions } from '@mcr/client';
import { z } from 'zod';
import { BinariesHost } from './binaries/binaries-host.ts';
import { backendSchema, chooseBackend } from './backend.ts';
import { clusterOptionsSchema, createEmbeddedApiServer, serverOptionsSchema } from './embedded-api-server.ts';
import { KindHost } from './kind/kind-host.ts';
import type { Credentials } from './kubeconfig.ts';

/** One Kubernetes control plane, and the means to make it fail. */
export interface ControlPlane extends Credentials, AsyncDisposable {
  readonly name: string;
  readonly config: ClusterConfig;
  readonly kubeconfig: string;
  /** Of the process that serves it; 0, when containers do, or none. */
  readonly pid: number;
  /** Further credentials, by a bearer token. Those issued before stay good. @param owner default: one who may do everything. */
  issueToken(owner?: CredentialOwner): Promise<Credentials>;
  /** Credentials by a client certificate. */
  issueCertificate(owner: CredentialOwner): Promise<Credentials>;
  /** Refuses these credentials from now on. Watches that were opened with them go on. */
  revokeToken(credentials: Pick<Credentials, 'config'>): Promise<void>;
  /** Makes `count` objects like `object`, named `<name>-0` and so on: a load for benchmarks. */
  seed(object: SeedObject, count: number): Promise<void>;
  /** Forgets the history, as etcd's compaction does: watches and pages from before get 410. */
  compact(): Promise<void>;
  /** Ends every watch in good order, as at its timeout. */
  endWatches(): Promise<void>;
  /** Refuses the next requests with 429 and `Retry-After`, as priority and fairness does. */
  throttle(options: ThrottleOptions): Promise<void>;
  /** Resets every connection. New ones are taken. */
  cutConnections(): Promise<void>;
  /** Resets every connection and refuses new ones, until {@link resume}. */
  suspend(): Promise<void>;
  resume(): Promise<void>;
  /** Ends the process at once, as a crash would, and with it every control plane that it serves. */
  kill(): Promise<void>;
  /**
   * Ends the process if it still runs, and starts it again on the same port, with the same data, certificate and tokens.
   *
   * @throws {Error} of the embedded server without a `dataDir`: what lives in memory dies with its process.
   */
  restart(): Promise<void>;
  /** Ends the control plane, and its process when it serves no other. */
  stop(): Promise<void>;
}

/** Who credentials are for: what it may do is for RBAC to say. */
export interface CredentialOwner {
  readonly user: string;
  /** Default: none but those that every user is of. `system:masters` may do everything. */
  readonly groups?: readonly string[];
}

export interface ThrottleOptions {
  /** How many requests; 0 ends what an earlier call began. */
  readonly requests: number;
  /** Default: 1. */
  readonly retryAfterSeconds?: number;
}

/** What is needed of an object to make many of it. */
export interface SeedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const optionsSchema = z.strictObject({
  ...serverOptionsSchema.shape,
  ...clusterOptionsSchema.partial({ name: true }).shape,
  backend: backendSchema,
});

export type ControlPlaneOptions = z.input<typeof optionsSchema>;

/**
 * Starts a control plane in processes of its own, which end when this process does: the embedded server, or, of backend
 * `binaries`, an etcd and a kube-apiserver; or, of backend `kind`, a Kind cluster, which is there until `stop()`.
 *
 * @param options.backend default: `auto`, which is `$MCR_BACKEND`, else `binaries` where `$KUBEBUILDER_ASSETS` is set, else `embedded`.
 * @param options.name default: `control-plane`.
 * @param options.port of 127.0.0.1. Default: any that is free.
 * @param options.crds CustomResourceDefinitions to begin with.
 * @throws {UnsupportedBackendError} when `$MCR_BACKEND` names none.
 * @throws {TypeError} for an option that is unknown or wrong, or that the backend does not have.
 * @throws {Error} that names the port, when it is taken; with the end of its log, when a program does not start.
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

/** The options that a backend does not have. */
const REFUSED = {
  embedded: [],
  binaries: ['historyLimit', 'bookmarkInterval'],
  kind: ['port', 'dataDir', 'historyLimit', 'bookmarkInterval'],
} as const;

/** @throws {TypeError} that names an option which the backend does not have. */
export function refuseOptions(
  backend: keyof typeof REFUSED,
  options: Partial<Record<keyof ControlPlaneOptions, unknown>>,
): void {
  for (const option of REFUSED[backend]) {
    if (options[option] === undefined) continue;
    throw new TypeError(`backend "${backend}" has no option ${JSON.stringify(option)}: use backend "embedded"`);
  }
}
