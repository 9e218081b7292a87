import type { ApiClient, ConfigMap as ConfigMapObject, DeepReadonly } from '@mcr/core';
import { ApiError, ConfigMap, createClient, TransportError } from '@mcr/core';
import type { ControlPlane, EmbeddedApiServer } from '@mcr/envtest';

/** A process that serves members, can be killed, and started again. */
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

  /** Its members take requests then, also those that were suspended. */
  async restart(): Promise<void> {
    if (this.isUp) return;
    await this.server.restart();
    for (const member of this.members) member.isSuspended = false;
    this.isUp = true;
  }
}

/** A control plane of a churned fleet, and what is known of its health. */
export class ChurnMember {
  readonly plane: ControlPlane;
  readonly #process: MemberProcess | undefined;
  isSuspended = false;
  #client: ApiClient | undefined;

  /** @param process the one that serves it, when that may be killed. */
  constructor(plane: ControlPlane, process?: MemberProcess) {
    this.plane = plane;
    this.#process = process;
    process?.members.push(this);
  }

  /** Whether its process runs, and so can be told to do something. */
  get isAlive(): boolean {
    return this.#process?.isUp ?? true;
  }

  /** Whether it takes requests. */
  get isUp(): boolean {
    return this.isAlive && !this.isSuspended;
  }

  /** Has credentials of its own, which are never revoked. */
  get client(): ApiClient {
    return (this.#client ??= createClient(this.plane.config));
  }

  /** Closes its client; it gets another one when it is needed. */
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

  /** Creates or changes a ConfigMap, unless the server fails in the midst of it. */
  async put(name: string, input: string): Promise<void> {
    const key = { namespace: 'default', name };
    await tolerantly(async () => {
      if (await this.client.find(ConfigMap, key)) await this.client.patch(ConfigMap, key, { data: { input } }, 'merge');
      else await this.client.create(ConfigMap, { metadata: key, data: { input } });
    });
  }

  /** Deletes a ConfigMap, if it is there and the server does not fail. */
  async remove(name: string): Promise<void> {
    await tolerantly(() => this.client.delete(ConfigMap, { namespace: 'default', name }));
  }
}

/** Lets pass that the server fails, or that somebody else was faster: what there is can be asked for afterwards. */
async function tolerantly(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof TransportError || error instanceof ApiError)) throw error;
  }
}
