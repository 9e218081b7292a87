import { appendFile, chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import type { Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { ControlPlane } from '../control-plane.ts';
import { createEmbeddedApiServer, type EmbeddedApiServer } from '../embedded-api-server.ts';
import { answer, programs } from './stand-in-programs.ts';

/**
 * A `kind` and a `docker` program for machines without a container engine. They print and exit as the real programs do,
 * and their clusters are embedded control planes. Tests of programs that use Kind run with it.
 */
export class KindStandIn implements AsyncDisposable {
  readonly #directory: string;
  /** Started with the first cluster. */
  #api: Promise<EmbeddedApiServer> | undefined;
  readonly #listener: Server;
  readonly #planes = new Map<string, ControlPlane>();
  readonly #connections = new Set<Socket>();

  private constructor(directory: string) {
    this.#directory = directory;
    this.#listener = createServer({ allowHalfOpen: true }, (socket) => this.#serve(socket));
  }

  static async start(): Promise<KindStandIn> {
    const directory = await mkdtemp(join(tmpdir(), 'mcr-kind-stand-in-'));
    const standIn = new KindStandIn(directory);
    try {
      await mkdir(join(directory, 'clusters'));
      await mkdir(standIn.bin);
      await writeFile(join(directory, 'events'), '');
      for (const [name, text] of Object.entries(programs(directory))) {
        await writeFile(join(standIn.bin, name), text);
        await chmod(join(standIn.bin, name), 0o755);
      }
      await once(standIn.#listener.listen(join(directory, 'socket')), 'listening');
      return standIn;
    } catch (error) {
      await standIn.stop();
      throw error;
    }
  }

  /** Directory of the two programs. With {@link path} as `PATH`, they are found by name. */
  get bin(): string {
    return join(this.#directory, 'bin');
  }

  /** Path of the `kind` program. */
  get binary(): string {
    return join(this.bin, 'kind');
  }

  /** A `PATH` that starts with the directory of the two programs. */
  get path(): string {
    return [this.bin, process.env['PATH']].filter(Boolean).join(delimiter);
  }

  /** Returns the output of `kind get clusters`. */
  async names(): Promise<string[]> {
    return (await readdir(join(this.#directory, 'clusters'))).sort();
  }

  /** Does the same as `kind create cluster`. @throws {Error} if a cluster with this name exists. */
  async create(name: string): Promise<ControlPlane> {
    await this.list(name);
    // A kubeconfig of Kind names its context, cluster and user like this.
    this.#api ??= createEmbeddedApiServer();
    const plane = await (await this.#api).createCluster({ name: `kind-${name}` });
    this.#planes.set(name, plane);
    await this.setKubeconfig(name, plane.kubeconfig);
    return plane;
  }

  /** Does the same as `kind delete cluster`. Deleting an unknown cluster is not an error. */
  async delete(name: string): Promise<void> {
    await rm(this.#cluster(name), { recursive: true, force: true });
    await this.emit('destroy', name);
    await this.#planes.get(name)?.stop();
    this.#planes.delete(name);
  }

  /**
   * Adds a cluster without a kubeconfig, like one that is starting. @throws {Error} if a cluster with this name exists.
   */
  async list(name: string): Promise<void> {
    await mkdir(this.#cluster(name));
    await this.emit('start', name);
  }

  /** Sets the output of `kind get kubeconfig`; `undefined` if the cluster has none, as while it starts or stops. */
  async setKubeconfig(name: string, kubeconfig: string | undefined): Promise<void> {
    const path = join(this.#cluster(name), 'kubeconfig');
    if (kubeconfig === undefined) {
      await rm(path, { force: true });
      return;
    }
    await writeFile(`${path}.new`, kubeconfig);
    await rename(`${path}.new`, path);
  }

  /** Makes `kind get kubeconfig` hang for a cluster, as when its containers are paused. */
  async hang(name: string): Promise<void> {
    await writeFile(join(this.#cluster(name), 'hangs'), '');
  }

  /** Makes the container engine fail. @returns a function that ends the failure. */
  async failEngine(): Promise<() => Promise<void>> {
    const path = join(this.#directory, 'outage');
    await writeFile(path, '');
    return () => rm(path, { force: true });
  }

  /** Makes `docker events` print an event of a cluster's container. */
  async emit(action: string, cluster: string): Promise<void> {
    const attributes = { 'io.x-k8s.kind.cluster': cluster, name: `${cluster}-control-plane` };
    const event = { status: action, Type: 'container', Action: action, Actor: { Attributes: attributes } };
    await appendFile(join(this.#directory, 'events'), `${JSON.stringify(event)}\n`);
  }

  async stop(): Promise<void> {
    for (const socket of this.#connections) socket.destroy();
    if (this.#listener.listening) {
      this.#listener.close();
      await once(this.#listener, 'close');
    }
    await (await this.#api)?.stop();
    await rm(this.#directory, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #cluster(name: string): string {
    return join(this.#directory, 'clusters', name);
  }

  /** Runs one command that changes clusters. */
  #serve(socket: Socket): void {
    this.#connections.add(socket);
    socket.on('close', () => this.#connections.delete(socket));
    socket.on('error', () => socket.destroy());
    let asked = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (asked += chunk));
    socket.on('end', () => {
      void answer(asked, this).then((reply) => socket.end(JSON.stringify(reply)));
    });
  }
}

/** Starts a stand-in for Kind and its container engine. */
export function createKindStandIn(): Promise<KindStandIn> {
  return KindStandIn.start();
}
