import type { CallOptions, Clock, DeepReadonly, EventRecorder, Reader, Writer } from '@mcr/client';
import { Lease } from '@mcr/client';
import type { LeaderElectionConfig } from './leader-election-options.ts';
import type { LeaseRecord } from './lease-record.ts';
import { microTime } from '../../objects/time/micro-time.ts';
import { readRecord, writeRecord } from './lease-record.ts';

export interface LeaseLockOptions {
  readonly config: LeaderElectionConfig;
  /** Reads from the API server, not from a cache. */
  readonly reader: Pick<Reader, 'find'>;
  readonly writer: Pick<Writer, 'create' | 'patch'>;
  /** Records when this process starts and stops leading. */
  readonly events: EventRecorder;
  readonly clock: Clock;
}

/** Text of the event about a candidate, keyed by its action. */
const NOTES = { Lead: 'became leader', StopLeading: 'stopped leading' };

/**
 * Reads and writes the Lease. Each write is conditional on the version that was last read, so one of two concurrent
 * writes gets a conflict. (Upstream: client-go's `resourcelock.LeaseLock`.)
 */
export class LeaseLock {
  readonly #options: LeaseLockOptions;
  readonly #key: { readonly namespace: string; readonly name: string };
  /** The Lease as last read or written. */
  #lease: DeepReadonly<Lease> | undefined;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
    const { namespace, id } = options.config;
    this.#key = { namespace, name: id };
  }

  async read(signal: AbortSignal): Promise<LeaseRecord | undefined> {
    this.#lease = await this.#options.reader.find(Lease, this.#key, this.#call(signal));
    return this.#lease && readRecord(this.#lease);
  }

  /** Writes this candidate as holder, by creating the Lease or by updating `last`. */
  async hold(last: LeaseRecord | undefined, signal: AbortSignal): Promise<LeaseRecord> {
    const { identity, leaseDuration } = this.#options.config;
    const continues = last?.holder === identity;
    return this.#write(
      last,
      {
        holder: identity,
        duration: leaseDuration,
        transitions: last ? last.transitions + (continues ? 0 : 1) : 0,
        acquireTime: continues ? last.acquireTime : this.#now(),
      },
      signal,
    );
  }

  /** Releases the lease, so that any candidate may take it. */
  async release(last: LeaseRecord, signal: AbortSignal): Promise<void> {
    await this.#write(last, { ...last, holder: '', duration: 1_000 }, signal);
  }

  /** Records an event of the Lease, in the background. (Upstream: client-go's `LeaseLock.RecordEvent`.) */
  recordEvent(action: keyof typeof NOTES): void {
    if (!this.#lease) return;
    const { apiVersion, kind } = Lease;
    const regarding = { ...this.#lease, apiVersion, kind };
    const note = `${this.#options.config.identity} ${NOTES[action]}`;
    this.#options.events.event(regarding, { type: 'Normal', reason: 'LeaderElection', action, note });
  }

  async #write(
    last: LeaseRecord | undefined,
    record: Omit<LeaseRecord, 'version'>,
    signal: AbortSignal,
  ): Promise<LeaseRecord> {
    const { writer } = this.#options;
    const spec = writeRecord(record, this.#now());
    const call = this.#call(signal);
    let written: DeepReadonly<Lease>;
    if (last) {
      const patch = { metadata: { resourceVersion: last.version }, spec };
      written = await writer.patch(Lease, this.#key, patch, 'merge', call);
    } else {
      written = await writer.create(Lease, { metadata: this.#key, ...(spec && { spec }) }, call);
    }
    this.#lease = written;
    return readRecord(written);
  }

  #now(): string {
    return microTime(this.#options.clock.wallTime());
  }

  /** Uses half of the renew deadline as the timeout, so that a leader can retry once. */
  #call(signal: AbortSignal): CallOptions {
    // The elector retries by itself.
    return { signal, timeout: this.#options.config.renewDeadline / 2, retry: 'never' };
  }
}
