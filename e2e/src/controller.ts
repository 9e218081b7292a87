import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ClusterName, ClusterStatus } from '@mcr/core';
import { requestKey } from '@mcr/core';
import type { ControlPlane } from '@mcr/envtest';
import type { Report } from './controller-process.ts';

const program = fileURLToPath(new URL('controller-process.ts', import.meta.url));

/** A running `controller-process.ts`, and what it has told so far. */
export class Controller {
  readonly #process: ChildProcessByStdio<null, Readable, Readable>;
  readonly #reconciles = new Map<string, number>();
  readonly #statuses = new Map<ClusterName, ClusterStatus>();
  readonly #log: string[] = [];

  private constructor(process: ChildProcessByStdio<null, Readable, Readable>) {
    this.#process = process;
    createInterface({ input: process.stdout }).on('line', (line) => this.#take(JSON.parse(line) as Report));
    createInterface({ input: process.stderr }).on('line', (line) => this.#log.push(line));
  }

  /** @param directory where the hub's kubeconfig is written. */
  static async start(hub: ControlPlane, namespace: string, directory: string): Promise<Controller> {
    const kubeconfig = join(directory, 'hub.kubeconfig');
    await writeFile(kubeconfig, hub.kubeconfig, { mode: 0o600 });
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
    return new Controller(spawn(process.execPath, [program, kubeconfig, namespace], { stdio }));
  }

  /** How often an object of namespace `default` has been reconciled. */
  reconciles(clusterName: ClusterName, name: string): number {
    return this.#reconciles.get(requestKey({ clusterName, namespace: 'default', name })) ?? 0;
  }

  status(clusterName: ClusterName): ClusterStatus | undefined {
    return this.#statuses.get(clusterName);
  }

  /** The lines of its log that name a cluster. */
  log(clusterName: ClusterName): string[] {
    return this.#log.filter((line) => line.includes(JSON.stringify(clusterName)));
  }

  /** Asks it to stop. Resolves with its exit code; a process that does not stop within 10 s is a failure. */
  async stop(): Promise<number | null> {
    const exited = once(this.#process, 'exit', { signal: AbortSignal.timeout(10_000) });
    this.#process.kill('SIGTERM');
    const [code] = (await exited) as [number | null];
    return code;
  }

  /** Ends it if a test left it running. */
  [Symbol.dispose](): void {
    if (this.#process.exitCode === null) this.#process.kill('SIGKILL');
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
