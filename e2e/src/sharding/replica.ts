import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ClusterName, OwnershipState } from '@mcr/core';
import type { ReplicaReport } from './replica-process.ts';

const program = fileURLToPath(new URL('replica-process.ts', import.meta.url));

/** Time after which a process that was asked to stop hangs, in milliseconds. */
const HANGING = 90_000;

/** A running `replica-process.ts`, and what it has reported so far. */
export class Replica {
  readonly name: string;
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #log: string[] = [];
  #states: Readonly<Record<ClusterName, OwnershipState>> = {};
  #reconciles = 0;
  readonly #refusals: string[] = [];

  constructor(name: string, { kubeconfig, namespace }: { readonly kubeconfig: string; readonly namespace: string }) {
    this.name = name;
    const args = ['--conditions=@mcr/source', program, kubeconfig, namespace, name];
    this.#process = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    createInterface({ input: this.#process.stdout }).on('line', (line) =>
      this.#take(JSON.parse(line) as ReplicaReport),
    );
    createInterface({ input: this.#process.stderr }).on('line', (line) => this.#log.push(line));
  }

  /** Members that it owns, according to its last report. */
  get owned(): ClusterName[] {
    return Object.keys(this.#states).filter((name) => name !== '' && this.#states[name] === 'active');
  }

  /** Number of its successful writes. */
  get reconciles(): number {
    return this.#reconciles;
  }

  /** Names of the errors of its failed writes. */
  get refusals(): readonly string[] {
    return this.#refusals;
  }

  /** The lines of its log. */
  get log(): readonly string[] {
    return this.#log;
  }

  /** Asks it to stop. Resolves with its exit code; a process that hangs is a failure. */
  async stop(): Promise<number | null> {
    const exited = once(this.#process, 'exit', { signal: AbortSignal.timeout(HANGING) });
    this.#process.kill('SIGTERM');
    const [code] = (await exited) as [number | null];
    this.#states = {};
    return code;
  }

  /** Kills it, like a crash. */
  async kill(): Promise<void> {
    this.#states = {};
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exited;
    this.#states = {};
  }

  /** Suspends it, as a paused virtual machine. Its last report no longer counts. */
  pause(): void {
    this.#process.kill('SIGSTOP');
    this.#states = {};
  }

  resume(): void {
    this.#process.kill('SIGCONT');
  }

  #take(report: ReplicaReport): void {
    if (report.type === 'ownership') this.#states = report.states;
    else if (report.type === 'reconciled') this.#reconciles += 1;
    else this.#refusals.push(report.error);
  }
}
