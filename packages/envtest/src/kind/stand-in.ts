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
 * A `kind` and a `docker` program for machines without a container engine: they answer as the real ones do, in wording,
 * streams and exit codes, and their clusters are embedded control planes. Programs that use Kind are tested with it.
 */
export class KindStandIn implements AsyncDisposable {
  readonly #directory: string;
  /** Started for the first cluster that is made. */
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

  /** The directory of the two programs: what looks for them by name finds them with {@link path}. */
  get bin(): string {
    return join(this.#directory, 'bin');
  }

  /** The `kind` program. */
  get binary(): string {
    return join(this.bin, 'kind');
  }

  /** A `PATH` on which the two programs come first. */
  get path(): string {
    return [this.bin, process.env['PATH']].filter(Boolean).join(delimiter);
  }

  /** As `kind get clusters` does. */
  async names(): Promise<string[]> {
    return (await readdir(join(this.#directory, 'clusters'))).sort();
  }

  /** As `kind create cluster` does. @throws {Error} when there is a cluster of that name. */
  async create(name: string): Promise<ControlPlane> {
    await this.list(name);
    // So are context, cluster and user named in a kubeconfig of Kind.
    this.#api ??= createEmbeddedApiServer();
    const plane = await (await this.#api).createCluster({ name: `kind-${name}` });
    this.#planes.set(name, plane);
    await this.setKubeconfig(name, plane.kubeconfig);
    return plane;
  }

  /** As `kind delete cluster` does; harmless when there is no cluster of that name. */
  async delete(name: string): Promise<void> {
    await rm(this.#cluster(name), { recursive: true, force: true });
    await this.emit('destroy', name);
    await this.#planes.get(name)?.stop();
    this.#planes.delete(name);
  }

  /** Has a cluster there that has no kubeconfig yet, as while it starts. @throws {Error} when there is one of that name. */
  async list(name: string): Promise<void> {
    await mkdir(this.#cluster(name));
    await this.emit('start', name);
  }

  /** What `kind get kubeconfig` prints of a cluster; `undefined`: that it has none, as while it starts or stops. */
  async setKubeconfig(name: string, kubeconfig: string | undefined): Promise<void> {
    const path = join(this.#cluster(name), 'kubeconfig');
    if (kubeconfig === undefined) {
      await rm(path, { force: true });
      return;
    }
    await writeFile(`${path}.new`, kubeconfig);
    await rename(`${path}.new`, path);
  }

  /** Has `kind get kubeconfig` hang for a cluster, as when its containers are paused. */
  async hang(name: string): Promise<void> {
    await writeFile(join(this.#cluster(name), 'hangs'), '');
  }

  /** Has the container engine not answer any more. @returns ends that. */
  async failEngine(): Promise<() => Promise<void>> {
    const path = join(this.#directory, 'outage');
    await writeFile(path, '');
    return () => rm(path, { force: true });
  }

  /** Has `docker events` tell of the container of a cluster. */
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

  /** One command that changes what clusters there are. */
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
