import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Namespace } from '@mcr/core';
import { createEmbeddedApiServer, type EmbeddedApiServer } from '@mcr/envtest';
import { ChurnInventory } from './inventory.ts';
import { ChurnMember, MemberProcess } from './member.ts';

const NAMESPACE = 'fleet';
const PROCESSES = 3;
const MEMBERS_EACH = 4;

/** A hub, and members in processes that can be killed. */
export class ChurnFleet implements AsyncDisposable {
  readonly namespace = NAMESPACE;
  readonly hub: ChurnMember;
  readonly inventory: ChurnInventory;
  readonly processes: readonly MemberProcess[];
  readonly #hubServer: EmbeddedApiServer;
  readonly #directory: string;

  private constructor(
    directory: string,
    hubServer: EmbeddedApiServer,
    hub: ChurnMember,
    processes: readonly MemberProcess[],
  ) {
    this.#directory = directory;
    this.#hubServer = hubServer;
    this.hub = hub;
    this.processes = processes;
    this.inventory = new ChurnInventory(hub, NAMESPACE);
  }

  static async start(): Promise<ChurnFleet> {
    const directory = await mkdtemp(join(tmpdir(), 'mcr-churn-'));
    const startServer = (name: string) => createEmbeddedApiServer({ dataDir: join(directory, name) });
    const hubServer = await startServer('hub');
    const hub = new ChurnMember(await hubServer.createCluster({ name: 'hub' }));
    await hub.client.create(Namespace, { metadata: { name: NAMESPACE } });
    const startProcess = async (name: string) => {
      const process = new MemberProcess(name, await startServer(name));
      for (let number = 0; number < MEMBERS_EACH; number++) {
        new ChurnMember(await process.server.createCluster({ name: `${name}-member-${number}` }), process);
      }
      return process;
    };
    const names = Array.from({ length: PROCESSES }, (_, index) => `process-${index}`);
    return new ChurnFleet(directory, hubServer, hub, await Promise.all(names.map(startProcess)));
  }

  get members(): readonly ChurnMember[] {
    return this.processes.flatMap(({ members }) => members);
  }

  /** Declares a cluster for every member: `cluster-0` and so on. */
  async declareAll(): Promise<void> {
    for (const [index, member] of this.members.entries()) {
      const credentials = await member.plane.issueToken();
      await this.inventory.declare(`cluster-${index}`, { member, credentials, isLabelled: true, content: 'good' });
    }
  }

  /** Starts or resumes everything that is down, and repairs the Secrets whose effect cannot be predicted. */
  async heal(): Promise<void> {
    await this.hub.resume();
    for (const process of this.processes) await process.restart();
    for (const member of this.members) await member.resume();
    for (const [name, declared] of this.inventory.declared) {
      if (declared.content === 'broken-unknown') await this.inventory.declare(name, { ...declared, content: 'good' });
    }
  }

  /** Closes the connections of the test itself. */
  async closeClients(): Promise<void> {
    await Promise.all([this.hub, ...this.members].map((member) => member.close()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.closeClients();
    await Promise.all([this.#hubServer, ...this.processes.map(({ server }) => server)].map((server) => server.stop()));
    await rm(this.#directory, { recursive: true, force: true });
  }
}
