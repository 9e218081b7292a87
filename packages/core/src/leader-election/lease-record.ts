import type { DeepReadonly, Draft, Lease } from '@mcr/client';

/** What a Lease says, as far as elections go. (Upstream: client-go's `resourcelock.LeaderElectionRecord`.) */
export interface LeaseRecord {
  /** The identity of who holds it; `''`: nobody does. */
  readonly holder: string;
  /** For how long from its last renewal nobody else may take it, in milliseconds. */
  readonly duration: number;
  /** How often it has changed hands. */
  readonly transitions: number;
  /** When its holder took it, as the holder wrote it. */
  readonly acquireTime: string;
  /** The resource version: another one means that the lease was written. */
  readonly version: string;
}

export function readRecord({ metadata, spec = {} }: DeepReadonly<Lease>): LeaseRecord {
  return {
    holder: spec.holderIdentity ?? '',
    duration: (spec.leaseDurationSeconds ?? 0) * 1_000,
    transitions: spec.leaseTransitions ?? 0,
    acquireTime: spec.acquireTime ?? '',
    version: metadata.resourceVersion,
  };
}

/** The `spec` of a Lease. Times are for people to read: nobody decides by the clock of another machine. */
export function writeRecord(record: Omit<LeaseRecord, 'version'>, renewTime: string): Draft<Lease>['spec'] {
  return {
    holderIdentity: record.holder,
    // Whole seconds are all that a Lease can say; rounded up, nobody takes it too early.
    leaseDurationSeconds: Math.ceil(record.duration / 1_000),
    leaseTransitions: record.transitions,
    acquireTime: record.acquireTime,
    renewTime,
  };
}

/** An instant as `metav1.MicroTime` is written. */
export function microTime(wallTime: number): string {
  return new Date(wallTime).toISOString().replace('Z', '000Z');
}
