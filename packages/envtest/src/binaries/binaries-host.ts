import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { EmbeddedClusterOptions } from '../embedded-api-server.ts';
import type { Installation } from '../install/installation.ts';
import type { FeatureGates } from '@mcr/apiserver';
import { BinaryApiServer } from './api-server.ts';
import { findAssets } from './assets.ts';
import { BinariesControlPlane } from './binaries-control-plane.ts';

export interface BinariesHostOptions {
  readonly dataDir?: string | undefined;
  readonly featureGates?: FeatureGates | undefined;
}

/** Creates control planes with the programs in `$KUBEBUILDER_ASSETS`. They end with this process. */
export class BinariesHost {
  readonly #dataDir: string | undefined;
  readonly #featureGates: FeatureGates;
  readonly #servers = new Set<BinaryApiServer>();
  /** Control planes that are being created. */
  readonly #starting = new Set<Promise<BinariesControlPlane>>();
  #stopping = false;

  /**
   * @param options.dataDir directory in which the control planes survive the process. Default: they end with it.
   * @param options.featureGates a `kube-apiserver` that does not have one of them does not start.
   */
  constructor({ dataDir, featureGates = {} }: BinariesHostOptions = {}) {
    this.#dataDir = dataDir;
    this.#featureGates = featureGates;
  }

  /** @throws {Error} if a program does not exist, or with the end of its log if it does not start. */
  async create(options: EmbeddedClusterOptions, installation?: Installation): Promise<BinariesControlPlane> {
    const starting = this.#create(options, installation).finally(() => this.#starting.delete(starting));
    this.#starting.add(starting);
    return starting;
  }

  /** Stops all control planes, including those that are being created. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all([...this.#servers].map((server) => server.stop()));
    await Promise.allSettled(this.#starting);
  }

  async #create(
    { name, port = 0, crds = [] }: EmbeddedClusterOptions,
    installation: Installation | undefined,
  ): Promise<BinariesControlPlane> {
    const assets = await findAssets();
    const directory =
      this.#dataDir === undefined
        ? await mkdtemp(join(tmpdir(), `mcr-envtest-${name}-`))
        : resolve(this.#dataDir, name);
    const server = await BinaryApiServer.prepare({
      assets,
      directory,
      disposable: this.#dataDir === undefined,
      port,
      featureGates: this.#featureGates,
    });
    this.#servers.add(server);
    const stop = async (): Promise<void> => {
      this.#servers.delete(server);
      await server.stop();
    };
    const plane = new BinariesControlPlane({ name, server, stop, installation });
    try {
      if (this.#stopping) await plane.stop();
      await server.run();
      await plane.install(crds);
      return plane;
    } catch (error) {
      await plane.stop();
      throw error;
    }
  }
}
