import type { ControlPlane, EmbeddedClusterOptions } from '@mcr/envtest';
import { createEmbeddedApiServer, type EmbeddedApiServer } from '@mcr/envtest';

/** The control planes of a suite. One process, started on first use, serves all of them. */
export class Laboratory {
  #server: Promise<EmbeddedApiServer> | undefined;
  #count = 0;

  /** Starts the process if it is not running. */
  start(): Promise<EmbeddedApiServer> {
    this.#server ??= createEmbeddedApiServer();
    return this.#server;
  }

  async controlPlane(crds: EmbeddedClusterOptions['crds'] = []): Promise<ControlPlane> {
    const server = await this.start();
    return server.createCluster({ name: `control-plane-${++this.#count}`, crds });
  }

  async stop(): Promise<void> {
    const server = await this.#server;
    this.#server = undefined;
    await server?.stop();
  }
}
