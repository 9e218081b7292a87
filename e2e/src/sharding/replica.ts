import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ClusterName, OwnershipStatus } from '@mcr/core';
import type { ReplicaReport } from './replica-process.ts';

const program = fileURLToPath(new URL('replica-process.ts', import.meta.url));

/** Time after which a process that was asked to stop hangs, in milliseconds. */
const HANGING = 90_000;

/** A time in which a replica owned a cluster, according to its reports. Milliseconds since the Unix epoch. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** A running `replica-process.ts`, and what it has reported so far. */
export class Replica {
  readonly name: string;
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #log: string[] = [];
  #states: Readonly<Record<ClusterName, OwnershipStatus['state']>> = {};
  #reconciles = 0;
  #isAtGate = false;
  readonly #periods = new Map<ClusterName, Period[]>();
  readonly #refusals: { readonly cluster: ClusterName; readonly error: string }[] = [];

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

  /** When it owned a cluster. A report of each end is up to 200 ms late. */
  periods(cluster: ClusterName): readonly Period[] {
    return this.#periods.get(cluster) ?? [];
  }

  /** Whether a reconcile has waited at the gate. */
  get isAtGate(): boolean {
    return this.#isAtGate;
  }

  /** Number of its successful writes. */
  get reconciles(): number {
    return this.#reconciles;
  }

  /** Names of the errors of its failed writes to a cluster. */
  refusalsOf(cluster: ClusterName): readonly string[] {
    return this.#refusals.filter((refusal) => refusal.cluster === cluster).map(({ error }) => error);
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

  /** Lets the reconcile at the gate continue. A paused replica reads it when it is resumed. */
  openGate(): void {
    this.#process.stdin.write('open\n');
  }

  /** Number of lines in its log with a message. */
  logged(message: string): number {
    return this.#log.filter((line) => line.includes(`"${message}"`)).length;
  }

  #take(report: ReplicaReport): void {
    if (report.type === 'ownership') this.#note(report);
    else if (report.type === 'at gate') this.#isAtGate = true;
    else if (report.type === 'reconciled') this.#reconciles += 1;
    else this.#refusals.push({ cluster: report.request.clusterName, error: report.error });
  }

  #note({ states, at }: Extract<ReplicaReport, { type: 'ownership' }>): void {
    for (const [cluster, state] of Object.entries(states)) {
      if (state !== 'active') continue;
      const periods = this.#periods.get(cluster) ?? [];
      this.#periods.set(cluster, periods);
      const last = this.#states[cluster] === 'active' ? periods.pop() : undefined;
      periods.push({ from: last?.from ?? at, to: at });
    }
    this.#states = states;
  }
}
