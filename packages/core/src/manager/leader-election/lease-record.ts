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

/** @throws {TypeError} that names the field, when one has a type that the API does not allow. */
export function readRecord({ metadata, spec }: DeepReadonly<Lease>): LeaseRecord {
  const fields: unknown = spec ?? {};
  if (typeof fields !== 'object' || fields === null) throw wrongType('spec', 'object');
  const text = (field: string) => fieldOf(fields, field, 'string', '');
  const number = (field: string) => fieldOf(fields, field, 'number', 0);
  return {
    holder: text('holderIdentity'),
    duration: number('leaseDurationSeconds') * 1_000,
    transitions: number('leaseTransitions'),
    acquireTime: text('acquireTime'),
    version: metadata.resourceVersion,
  };
}

/** Values of another type are refused, because a misread record could make two replicas lead. */
function fieldOf<T extends string | number>(fields: object, field: string, type: 'string' | 'number', absent: T): T {
  const value: unknown = Reflect.get(fields, field);
  if (value === undefined || value === null) return absent;
  if (typeof value === type) return value as T;
  throw wrongType(`spec.${field}`, type);
}

function wrongType(field: string, type: string): TypeError {
  return new TypeError(`lease: ${field} is not of type ${type}: delete the Lease if no replica leads`);
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
