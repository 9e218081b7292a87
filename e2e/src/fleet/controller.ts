import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ClusterName, ClusterStatus } from '@mcr/core';
import { requestKey } from '@mcr/core';
import type { Report } from './controller-process.ts';

const program = fileURLToPath(new URL('controller-process.ts', import.meta.url));

export interface ControllerOptions {
  /** The file with the hub's kubeconfig. */
  readonly kubeconfig: string;
  /** Namespace of the kubeconfig Secrets in the hub, and of the ConfigMaps in the members. */
  readonly namespace: string;
  /** The Lease of its leader election. Default: it leads. */
  readonly lease?: string;
}

/** Time after which a process that was asked to stop hangs, in milliseconds. */
const HANGING = 60_000;

/** A running `controller-process.ts`, and what it has reported so far. */
export class Controller {
  readonly #namespace: string;
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #reconciles = new Map<string, number>();
  readonly #statuses = new Map<ClusterName, ClusterStatus>();
  readonly #log: string[] = [];

  constructor({ kubeconfig, namespace, lease }: ControllerOptions) {
    this.#namespace = namespace;
    const leaderElection = lease === undefined ? [] : ['--lease', lease];
    const args = ['--conditions=@mcr/source', program, kubeconfig, namespace, ...leaderElection];
    this.#process = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    createInterface({ input: this.#process.stdout }).on('line', (line) => this.#take(JSON.parse(line) as Report));
    createInterface({ input: this.#process.stderr }).on('line', (line) => this.#log.push(line));
  }

  /** How often a ConfigMap of the namespace has been reconciled. */
  reconciles(clusterName: ClusterName, name: string): number {
    return this.#reconciles.get(requestKey({ clusterName, namespace: this.#namespace, name })) ?? 0;
  }

  /** Number of reconciliations of all objects. */
  get allReconciles(): number {
    return [...this.#reconciles.values()].reduce((sum, count) => sum + count, 0);
  }

  status(clusterName: ClusterName): ClusterStatus | undefined {
    return this.#statuses.get(clusterName);
  }

  /** The lines of its log that name a cluster; without one, all lines. */
  log(clusterName?: ClusterName): string[] {
    if (clusterName === undefined) return [...this.#log];
    return this.#log.filter((line) => line.includes(JSON.stringify(clusterName)));
  }

  /** Asks it to stop. Resolves with its exit code; a process that hangs is a failure. */
  async stop(): Promise<number | null> {
    const exited = once(this.#process, 'exit', { signal: AbortSignal.timeout(HANGING) });
    this.#process.kill('SIGTERM');
    const [code] = (await exited) as [number | null];
    return code;
  }

  /** Kills it, like a crash. */
  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exited;
  }

  #take(report: Report): void {
    if (report.type === 'fleet') {
      this.#statuses.set(report.cluster.name, report.cluster);
      return;
    }
    const key = requestKey(report.request);
    this.#reconciles.set(key, (this.#reconciles.get(key) ?? 0) + 1);
  }
}
