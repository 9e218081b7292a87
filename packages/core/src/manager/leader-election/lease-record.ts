import type { DeepReadonly, Draft, Lease } from '@mcr/client';

/** The fields of a Lease that leader election uses. (Upstream: client-go's `resourcelock.LeaderElectionRecord`.) */
export interface LeaseRecord {
  /** Identity of the holder. `''` if the lease has no holder. */
  readonly holder: string;
  /** Time after the last renewal during which no other candidate may take it, in milliseconds. */
  readonly duration: number;
  /** Number of changes of the holder. */
  readonly transitions: number;
  /** When its holder acquired it, as written by the holder. */
  readonly acquireTime: string;
  /** Resource version, which changes with each write. */
  readonly version: string;
}

/** @throws {TypeError} if a field has a type that the API does not allow; the message names it. */
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

/**
 * Returns the `spec` of a Lease. Its times are informational, because candidates do not use clocks of other machines.
 */
export function writeRecord(record: Omit<LeaseRecord, 'version'>, renewTime: string): Draft<Lease>['spec'] {
  return {
    holderIdentity: record.holder,
    // A Lease has whole seconds. Rounded up, so that it is not taken too early.
    leaseDurationSeconds: Math.ceil(record.duration / 1_000),
    leaseTransitions: record.transitions,
    acquireTime: record.acquireTime,
    renewTime,
  };
}
