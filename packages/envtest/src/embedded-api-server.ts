import { parseOptions } from '@mcr/client';
import { z } from 'zod';
import type { ControlPlane } from './control-plane.ts';
import { EmbeddedControlPlane } from './embedded-control-plane.ts';
import type { ServerOptions } from './server-process.ts';
import { ServerProcess } from './server-process.ts';
import type { ClusterAddress, Command, Result } from './server/protocol.ts';
import { apiObjectSchema, clusterNameSchema, portSchema } from './server/protocol.ts';

export const serverOptionsSchema = z.strictObject({
  /** A folder in which the clusters outlive the process. Default: they live in memory. */
  dataDir: z.string().optional(),
  /** How many events of each resource a watch can go back. */
  historyLimit: z.int().positive().default(10_000),
  /** How often a watch is sent a bookmark, in milliseconds. */
  bookmarkInterval: z.number().positive().default(60_000),
});

export const clusterOptionsSchema = z.strictObject({
  name: clusterNameSchema,
  /** Of 127.0.0.1; 0: any that is free. */
  port: portSchema.default(0),
  crds: z.array(apiObjectSchema).default([]),
});

export type EmbeddedApiServerOptions = z.input<typeof serverOptionsSchema>;
export type EmbeddedClusterOptions = z.input<typeof clusterOptionsSchema>;

/** A process that serves any number of logical clusters, each on a port of its own. */
export class EmbeddedApiServer implements AsyncDisposable {
  readonly #options: ServerOptions;
  readonly #planes = new Map<string, EmbeddedControlPlane>();
  #process: ServerProcess;

  private constructor(options: ServerOptions, process: ServerProcess) {
    this.#options = options;
    this.#process = process;
  }

  /**
   * @param options.dataDir a folder in which the clusters outlive the process. Default: they live in memory.
   * @param options.historyLimit how many events of each resource a watch can go back. Default: 10,000.
   * @param options.bookmarkInterval how often a watch is sent a bookmark, in milliseconds. Default: 60,000.
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
   * @param options.name a DNS-1123 label that no other cluster of this process has.
   * @param options.port of 127.0.0.1. Default: the one that it had before in `dataDir`, else any that is free.
   * @param options.crds CustomResourceDefinitions to begin with.
   * @param stop what `stop()` of the control plane does. Default: it removes this cluster from the process.
   * @throws {Error} that names the port, when it is taken.
   */
  async createCluster(options: EmbeddedClusterOptions, stop?: () => Promise<void>): Promise<ControlPlane> {
    const { name, port, crds } = parseOptions('createCluster', clusterOptionsSchema, options);
    const address = await this.#open({ name, port, crds });
    const plane = new EmbeddedControlPlane(this, name, address, stop ?? (() => this.#remove(name)));
    this.#planes.set(name, plane);
    return plane;
  }

  /** @throws {Error} what the process answered, or that it has ended. */
  call(command: Command): Promise<Result> {
    return this.#process.call(command);
  }

  /** Ends the process at once, as a crash would. */
  async kill(): Promise<void> {
    await this.#process.kill();
  }

  /** Starts the process again, with all of its clusters. @throws {Error} without a `dataDir`. */
  async restart(): Promise<void> {
    if (this.#options.dataDir === undefined) {
      throw new Error('restart() needs the option dataDir: what lives in memory dies with its process');
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

  async #open(options: Omit<Extract<Command, { method: 'createCluster' }>, 'method'>): Promise<ClusterAddress> {
    return (await this.call({ method: 'createCluster', ...options })) as ClusterAddress;
  }

  async #remove(name: string): Promise<void> {
    if (!this.#planes.delete(name) || !this.#process.running) return;
    await this.call({ method: 'removeCluster', name });
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
