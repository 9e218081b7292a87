import type { ApiServerOptions, ClusterAddress, ClusterOptions, Command, FeatureGates } from '@mcr/apiserver';
import type { ObjectManifest, Result, ServiceAddresses } from '@mcr/apiserver';
import {
  apiObjectSchema,
  bookmarkIntervalSchema,
  clusterNameSchema,
  featureGatesSchema,
  portSchema,
  servicesSchema,
} from '@mcr/apiserver/protocol';
import { parseOptions } from '@mcr/client';
import * as z from 'zod';
import type { ControlPlane } from './control-plane.ts';
import { EmbeddedControlPlane } from './embedded-control-plane.ts';
import type { LocalWebhooks } from './install/local-webhooks.ts';
import { ServerProcess } from './server-process.ts';

/** Options of {@link createEmbeddedApiServer}. */
export interface EmbeddedApiServerOptions {
  /** Directory in which clusters survive the process. Default: clusters are kept in memory. */
  readonly dataDir?: string | undefined;
  /** Number of events of each resource that a watch can resume from. Default: 10,000. */
  readonly historyLimit?: number | undefined;
  /** Interval of bookmarks in watches, in milliseconds. Default: 60,000. */
  readonly bookmarkInterval?: number | undefined;
  /** Feature gates of the API server that differ from their defaults. */
  readonly featureGates?: FeatureGates | undefined;
  /**
   * Addresses of Services that webhooks name, such as `{ 'shop/webhooks': '127.0.0.1:9443' }`. They need not exist as
   * objects. Default: none, so that webhooks with a Service cannot be called.
   */
  readonly services?: ServiceAddresses | undefined;
  /**
   * Whether objects are garbage-collected, namespaces deleted and roles aggregated. A kube-apiserver by itself does none
   * of these. Default: true.
   */
  readonly controllers?: boolean | undefined;
}

/** Options of {@link EmbeddedApiServer.createCluster}. */
export interface EmbeddedClusterOptions {
  /** DNS-1123 label, unique in the process. */
  readonly name: string;
  /** Port on 127.0.0.1. Default: the port that the cluster has in `dataDir`, else a free one. */
  readonly port?: number | undefined;
  /** CustomResourceDefinitions to install. Default: none. */
  readonly crds?: readonly ObjectManifest[] | undefined;
}

export const serverOptionsSchema = z.strictObject({
  dataDir: z.string().optional(),
  historyLimit: z.int().positive().default(10_000),
  bookmarkInterval: bookmarkIntervalSchema.default(60_000),
  featureGates: featureGatesSchema.default({}),
  services: servicesSchema.default({}),
  controllers: z.boolean().default(true),
} satisfies Record<keyof EmbeddedApiServerOptions, z.ZodType>);

export const clusterOptionsSchema = z.strictObject({
  name: clusterNameSchema,
  /** 0 selects a free port. */
  port: portSchema.default(0),
  crds: z.array(apiObjectSchema).default([]),
} satisfies Record<keyof EmbeddedClusterOptions, z.ZodType>);

/** A process that serves any number of logical clusters, each on its own port. */
export class EmbeddedApiServer implements AsyncDisposable {
  readonly #options: ApiServerOptions;
  readonly #planes = new Map<string, EmbeddedControlPlane>();
  #process: ServerProcess;

  private constructor(options: ApiServerOptions, process: ServerProcess) {
    this.#options = options;
    this.#process = process;
  }

  /**
   * @param options.dataDir directory in which clusters survive the process. Default: clusters are kept in memory.
   * @param options.historyLimit number of events of each resource that a watch can resume from. Default: 10,000.
   * @param options.bookmarkInterval interval of bookmarks in watches, in milliseconds. Default: 60,000.
   */
  static async start(options: EmbeddedApiServerOptions = {}): Promise<EmbeddedApiServer> {
    const { dataDir, ...rest } = parseOptions('createEmbeddedApiServer', serverOptionsSchema, options);
    const serverOptions = { ...rest, ...(dataDir !== undefined && { dataDir }) };
    return new EmbeddedApiServer(serverOptions, await ServerProcess.start(serverOptions));
  }

  get pid(): number {
    return this.#process.pid;
  }

  /**
   * Creates a logical cluster and starts serving it.
   *
   * @param options.name DNS-1123 label, unique in this process.
   * @param options.port port on 127.0.0.1. Default: the port that the cluster had in `dataDir`, else a free one.
   * @param options.crds CustomResourceDefinitions to install.
   * @param parts.stop implementation of `stop()` of the control plane. Default: removes this cluster from the process.
   * @param parts.webhooks where the webhooks are called that the caller installs. Default: there are none.
   * @throws {Error} that names the port if it is in use.
   */
  async createCluster(
    options: EmbeddedClusterOptions,
    parts: { readonly stop?: () => Promise<void>; readonly webhooks?: LocalWebhooks | undefined } = {},
  ): Promise<ControlPlane> {
    const { name, port, crds } = parseOptions('createCluster', clusterOptionsSchema, options);
    const address = await this.#open({ name, port, crds });
    const plane = new EmbeddedControlPlane({
      server: this,
      call: (command) => this.#call(command),
      name,
      address,
      stop: parts.stop ?? (() => this.#remove(name)),
      webhooks: parts.webhooks,
    });
    this.#planes.set(name, plane);
    return plane;
  }

  /** Kills the process immediately, as in a crash. */
  async kill(): Promise<void> {
    await this.#process.kill();
  }

  /** Starts the process again, with all of its clusters. @throws {Error} without a `dataDir`. */
  async restart(): Promise<void> {
    if (this.#options.dataDir === undefined) {
      throw new Error('restart() needs the option dataDir: without it, the data is lost with the process');
    }
    await this.#process.stop();
    this.#process = await ServerProcess.start(this.#options);
    for (const [name, { port }] of this.#planes) await this.#open({ name, port, crds: [] });
  }

  async stop(): Promise<void> {
    this.#planes.clear();
    await this.#process.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #call(command: Command): Promise<Result> {
    return this.#process.call(command);
  }

  async #open(options: ClusterOptions): Promise<ClusterAddress> {
    return (await this.#call({ method: 'createCluster', ...options })) as ClusterAddress;
  }

  async #remove(name: string): Promise<void> {
    if (!this.#planes.delete(name) || !this.#process.running) return;
    await this.#call({ method: 'removeCluster', name });
  }
}

/**
 * Starts an embedded API server in a process of its own.
 *
 * @param options.dataDir directory in which clusters survive the process. Default: clusters are kept in memory.
 * @param options.historyLimit number of events of each resource that a watch can resume from. Default: 10,000.
 * @param options.bookmarkInterval interval of bookmarks in watches, in milliseconds. Default: 60,000.
 */
export function createEmbeddedApiServer(options: EmbeddedApiServerOptions = {}): Promise<EmbeddedApiServer> {
  return EmbeddedApiServer.start(options);
}
