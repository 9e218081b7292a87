import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { EmbeddedClusterOptions } from '../embedded-api-server.ts';
import { BinaryApiServer } from './api-server.ts';
import { findAssets } from './assets.ts';
import { BinariesControlPlane } from './binaries-control-plane.ts';

/** Makes control planes of the programs in `$KUBEBUILDER_ASSETS`. They end with this process. */
export class BinariesHost {
  readonly #dataDir: string | undefined;
  readonly #servers = new Set<BinaryApiServer>();
  /** Those that are being made. */
  readonly #births = new Set<Promise<BinariesControlPlane>>();
  #stopping = false;

  /** @param dataDir a folder in which the control planes outlive the process. Default: they end with it. */
  constructor(dataDir: string | undefined) {
    this.#dataDir = dataDir;
  }

  /** @throws {Error} when a program is not there, or does not start: then with the end of its log. */
  async create(options: EmbeddedClusterOptions): Promise<BinariesControlPlane> {
    const birth = this.#create(options).finally(() => this.#births.delete(birth));
    this.#births.add(birth);
    return birth;
  }

  /** Ends all of them, and those that are being made. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all([...this.#servers].map((server) => server.stop()));
    await Promise.allSettled(this.#births);
  }

  async #create({ name, port = 0, crds = [] }: EmbeddedClusterOptions): Promise<BinariesControlPlane> {
    const assets = await findAssets();
    const directory =
      this.#dataDir === undefined
        ? await mkdtemp(join(tmpdir(), `mcr-envtest-${name}-`))
        : resolve(this.#dataDir, name);
    const server = await BinaryApiServer.prepare({ assets, directory, disposable: this.#dataDir === undefined, port });
    this.#servers.add(server);
    const plane = new BinariesControlPlane(name, server, async () => {
      this.#servers.delete(server);
      await server.stop();
    });
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
