import type { ApiClient, ConfigMap as ConfigMapObject, DeepReadonly } from '@mcr/core';
import { ApiError, ConfigMap, createClient, TransportError } from '@mcr/core';
import type { ControlPlane, EmbeddedApiServer } from '@mcr/envtest';

/** A process that serves members, and can be killed and restarted. */
export class MemberProcess {
  readonly name: string;
  readonly server: EmbeddedApiServer;
  readonly members: ChurnMember[] = [];
  isUp = true;

  constructor(name: string, server: EmbeddedApiServer) {
    this.name = name;
    this.server = server;
  }

  async kill(): Promise<void> {
    this.isUp = false;
    await this.server.kill();
  }

  /** Starts the process again. Its members accept requests then, including suspended ones. */
  async restart(): Promise<void> {
    if (this.isUp) return;
    await this.server.restart();
    for (const member of this.members) member.isSuspended = false;
    this.isUp = true;
  }
}

/** A control plane of a churned fleet, and its expected health. */
export class ChurnMember {
  readonly plane: ControlPlane;
  readonly #process: MemberProcess | undefined;
  isSuspended = false;
  #client: ApiClient | undefined;

  /** @param process the process that serves it, if the process may be killed. */
  constructor(plane: ControlPlane, process?: MemberProcess) {
    this.plane = plane;
    this.#process = process;
    process?.members.push(this);
  }

  /** Whether its process runs and accepts commands. */
  get isAlive(): boolean {
    return this.#process?.isUp ?? true;
  }

  /** Whether it accepts requests. */
  get isUp(): boolean {
    return this.isAlive && !this.isSuspended;
  }

  /** A client with separate credentials, which are never revoked. */
  get client(): ApiClient {
    return (this.#client ??= createClient(this.plane.config));
  }

  /** Closes its client. The next use creates another one. */
  async close(): Promise<void> {
    await this.#client?.close();
    this.#client = undefined;
  }

  async suspend(): Promise<void> {
    this.isSuspended = true;
    await this.plane.suspend();
  }

  async resume(): Promise<void> {
    if (!this.isSuspended) return;
    await this.plane.resume();
    this.isSuspended = false;
  }

  async configMaps(): Promise<readonly DeepReadonly<ConfigMapObject>[]> {
    return (await this.client.list(ConfigMap)).items;
  }

  /** Creates or updates a ConfigMap. Ignores failures of the server. */
  async put(name: string, input: string): Promise<void> {
    const key = { namespace: 'default', name };
    await tolerantly(async () => {
      if (await this.client.find(ConfigMap, key)) await this.client.patch(ConfigMap, key, { data: { input } }, 'merge');
      else await this.client.create(ConfigMap, { metadata: key, data: { input } });
    });
  }

  /** Deletes a ConfigMap. Ignores failures of the server and a ConfigMap that does not exist. */
  async remove(name: string): Promise<void> {
    await tolerantly(() => this.client.delete(ConfigMap, { namespace: 'default', name }));
  }
}

/** Ignores failures of the server and conflicts: the test reads the actual state later. */
async function tolerantly(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof TransportError || error instanceof ApiError)) throw error;
  }
}
