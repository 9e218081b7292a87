import type { ClusterConfig } from '@mcr/client';
import { ApiServer } from './api-server.ts';
import type {
  ApiServerOptions,
  ClientCertificate,
  ClusterAddress,
  ClusterOptions,
  ObjectManifest,
} from './protocol.ts';

interface Owner {
  readonly user: string;
  readonly groups?: readonly string[];
}

/** Options of a test. The defaults are those of `createControlPlane` in `@mcr/envtest`. */
export type ControlPlaneOptions = Partial<Omit<ApiServerOptions & ClusterOptions, 'name'>>;

/** A logical cluster that the process of a test serves. */
export class ControlPlane implements AsyncDisposable {
  readonly config: ClusterConfig;
  readonly #server: ApiServer;
  readonly #name: string;

  private constructor(server: ApiServer, name: string, { port, caCertificate, token }: ClusterAddress) {
    this.#server = server;
    this.#name = name;
    this.config = {
      server: `https://127.0.0.1:${port}`,
      tls: { caData: caCertificate },
      auth: { type: 'token', token },
    };
  }

  static async create(server: ApiServer, options: ClusterOptions): Promise<ControlPlane> {
    return new ControlPlane(server, options.name, await server.createCluster(options));
  }

  /** Returns a configuration with a token of a user. */
  async issueToken({ user, groups = [] }: Owner): Promise<ClusterConfig> {
    const token = await this.#server.execute({ method: 'issueToken', name: this.#name, user, groups });
    return { ...this.config, auth: { type: 'token', token: token as string } };
  }

  /** Returns a configuration with a client certificate of a user. */
  async issueCertificate({ user, groups = [] }: Owner): Promise<ClusterConfig> {
    const result = await this.#server.execute({ method: 'issueCertificate', name: this.#name, user, groups });
    const { certificate, key } = result as ClientCertificate;
    const { server, tls } = this.config;
    return { server, tls: { ...tls, certData: certificate, keyData: key } };
  }

  async seed(object: ObjectManifest, count: number): Promise<void> {
    await this.#server.execute({ method: 'seed', name: this.#name, object, count });
  }

  async throttle({
    requests,
    retryAfterSeconds = 1,
  }: {
    readonly requests: number;
    readonly retryAfterSeconds?: number;
  }): Promise<void> {
    await this.#server.execute({ method: 'throttle', name: this.#name, requests, retryAfterSeconds });
  }

  async compact(): Promise<void> {
    await this.#server.execute({ method: 'compact', name: this.#name });
  }

  async endWatches(): Promise<void> {
    await this.#server.execute({ method: 'endWatches', name: this.#name });
  }

  async cutConnections(): Promise<void> {
    await this.#server.execute({ method: 'cutConnections', name: this.#name });
  }

  /** Stops the whole server. */
  async stop(): Promise<void> {
    await this.#server.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** Starts an API server with one cluster in this process. */
export async function createControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const {
    port = 0,
    crds = [],
    historyLimit = 10_000,
    bookmarkInterval = 60_000,
    featureGates = {},
    services,
    controllers = true,
  } = options;
  const server = await ApiServer.start({ historyLimit, bookmarkInterval, featureGates, services, controllers });
  return ControlPlane.create(server, { name: 'control-plane', port, crds });
}

/** Starts an API server with two clusters in this process. */
export async function createControlPlanes(): Promise<{ readonly hub: ControlPlane; readonly member: ControlPlane }> {
  const server = await ApiServer.start({
    historyLimit: 10_000,
    bookmarkInterval: 60_000,
    featureGates: {},
    controllers: true,
  });
  const create = (name: string): Promise<ControlPlane> => ControlPlane.create(server, { name, port: 0, crds: [] });
  return { hub: await create('hub'), member: await create('member') };
}
