import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient, ClusterName } from '@mcr/core';
import { ConfigMap, createClient } from '@mcr/core';
import type { ControlPlane } from '@mcr/envtest';
import { until } from '../until.ts';

const KEY = { namespace: 'default', name: 'journal' };

/** Time from an observed write until the next change of the object, in milliseconds. */
const PACE = 1_500;

/** One change of an object, and its write by a replica. */
interface Change {
  /** When the change was made, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** Time until the replica's write was seen, in milliseconds. */
  readonly delay: number;
}

/**
 * An object in each member that is changed all the time, one change after another. Replicas append themselves to the
 * object with each write, under its `resourceVersion`, so the members have recorded who wrote what in which order.
 */
export class Journals implements AsyncDisposable {
  readonly #journals: readonly Journal[];
  readonly #end: AbortController;

  private constructor(journals: readonly Journal[], end: AbortController) {
    this.#journals = journals;
    this.#end = end;
  }

  static async start(members: readonly ControlPlane[]): Promise<Journals> {
    const end = new AbortController();
    const journals = await Promise.all(members.map((member) => Journal.start(member, end.signal)));
    return new Journals(journals, end);
  }

  /** Makes the next change in a member wait at the gate of a replica, see `replica-process.ts`. */
  gate(member: ClusterName, replica: string): void {
    const journal = this.#journals.find(({ name }) => name === member);
    if (!journal) throw new Error(`there is no member ${member}`);
    journal.gate = replica;
  }

  /** Resolves once each object was changed and written after this call. */
  async nextWrites(): Promise<void> {
    const now = performance.timeOrigin + performance.now();
    await until(() => this.#journals.every((journal) => journal.isWrittenSince(now)));
  }

  /** Returns the times from changes until their writes, in milliseconds. @param from milliseconds since the Unix epoch. */
  delaysSince(from: number): readonly number[] {
    return this.#journals.flatMap(({ changes }) =>
      changes.filter(({ at }) => at >= from).map((change) => change.delay),
    );
  }

  /** Returns the number of writes by a replica. */
  writesOf(replica: string): number {
    return this.#journals.reduce((sum, journal) => sum + journal.writesOf(replica), 0);
  }

  /**
   * Returns what the members have recorded that must not happen: a change that was not written, or twice, and a writer
   * that returned after another one had written, although it had not become the owner again.
   */
  problems(): string[] {
    return this.#journals.flatMap((journal) => journal.problems());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await Promise.all(this.#journals.map((journal) => journal.stop()));
  }
}

class Journal {
  readonly name: ClusterName;
  readonly changes: Change[] = [];
  gate: string | undefined;
  readonly #client: ApiClient;
  readonly #signal: AbortSignal;
  readonly #running: Promise<void>;
  #failure: Error | undefined;
  #writers = '';
  #count = 0;

  private constructor(member: ControlPlane, client: ApiClient, from: string, signal: AbortSignal) {
    this.name = member.name;
    this.#client = client;
    this.#signal = signal;
    this.#running = this.#run(from).catch((error: unknown) => {
      if (!signal.aborted) this.#failure = new Error(`${member.name}: no further changes`, { cause: error });
    });
  }

  static async start(member: ControlPlane, signal: AbortSignal): Promise<Journal> {
    const client = createClient(member.config);
    const { metadata } = await client.create(ConfigMap, { metadata: KEY, data: {} });
    return new Journal(member, client, metadata.resourceVersion, signal);
  }

  async stop(): Promise<void> {
    await this.#running;
    await this.#client.close();
  }

  /** @throws the error that ended the changes of this journal. */
  isWrittenSince(time: number): boolean {
    if (this.#failure) throw this.#failure;
    return (this.changes.at(-1)?.at ?? 0) >= time;
  }

  writesOf(replica: string): number {
    return this.#writers.split(' ').filter((entry) => entry.startsWith(`${replica}.`)).length;
  }

  problems(): string[] {
    const problems: string[] = [];
    const past = new Set<string>();
    let last: string | undefined;
    for (const [index, entry] of this.#writers.trim().split(' ').entries()) {
      const [writer = '', input] = entry.split(':');
      if (input !== String(index + 1)) problems.push(`${this.name}: write ${index + 1} is of change ${input}`);
      if (past.has(writer)) problems.push(`${this.name}: ${writer} wrote change ${input} after ${last}`);
      if (last !== undefined && last !== writer) past.add(last);
      last = writer;
    }
    return problems;
  }

  async #run(from: string): Promise<void> {
    const signal = this.#signal;
    let madeAt = await this.#change();
    for await (const event of this.#client.watch(ConfigMap, {
      namespace: KEY.namespace,
      resourceVersion: from,
      signal,
    })) {
      if (event.type === 'ERROR' || event.type === 'DELETED') throw new Error(`the watch of ${this.name} has failed`);
      if (event.type === 'BOOKMARK' || event.object.metadata.name !== KEY.name) continue;
      const { output, writers = '' } = event.object.data ?? {};
      if (!writers.startsWith(this.#writers)) throw new Error(`${this.name}: a write was overwritten`);
      this.#writers = writers;
      if (output !== String(this.#count)) continue;
      const now = performance.timeOrigin + performance.now();
      this.changes.push({ at: madeAt, delay: now - madeAt });
      await delay(PACE, undefined, { signal });
      madeAt = await this.#change();
    }
  }

  /** Returns the time of the change. */
  async #change(): Promise<number> {
    this.#count += 1;
    const data = { input: String(this.#count), gate: this.gate ?? null };
    this.gate = undefined;
    const at = performance.timeOrigin + performance.now();
    await this.#client.patch(ConfigMap, KEY, { data }, 'merge', { signal: this.#signal });
    return at;
  }
}
