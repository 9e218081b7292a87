import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { namespaceSchema, positiveMilliseconds } from '@mcr/client';
import { z } from 'zod';

/** How the processes of one program agree on which of them works. Durations are milliseconds. */
export interface LeaderElectionOptions {
  /** The name of the Lease, the same in all processes of the program. */
  readonly id: string;
  /** Where the Lease is. Default: the namespace of the Pod. */
  readonly namespace?: string;
  /** How long another process waits for a leader that is silent before it takes over. Default: 15,000. */
  readonly leaseDuration?: number;
  /** How long a leader that cannot renew its lease goes on. Default: 10,000. */
  readonly renewDeadline?: number;
  /** How long to wait between two tries to take or renew the lease. Default: 2,000. */
  readonly retryPeriod?: number;
  /** Whether a leader that stops gives the lease back, so that another need not wait for it. Default: true. */
  readonly releaseOnCancel?: boolean;
}

/** Candidates wait up to this much longer than `retryPeriod`, as a factor, so that they do not try in step. */
export const JITTER = 1.2;

const DEFAULTS = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000, releaseOnCancel: true };

const LEASE_NAME = 'expected the name of a Lease, such as "my-controller"';

/** Checks {@link LeaderElectionOptions}, and that its durations go together. */
export const leaderElectionSchema = z
  .strictObject({
    id: z.string(LEASE_NAME).regex(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/u, LEASE_NAME),
    namespace: namespaceSchema.exactOptional(),
    leaseDuration: positiveMilliseconds.exactOptional(),
    renewDeadline: positiveMilliseconds.exactOptional(),
    retryPeriod: positiveMilliseconds.exactOptional(),
    releaseOnCancel: z.boolean().exactOptional(),
  })
  .superRefine((options, context) => {
    const { leaseDuration, renewDeadline, retryPeriod } = { ...DEFAULTS, ...options };
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (leaseDuration <= renewDeadline) {
      refuse(
        'leaseDuration',
        `expected more than renewDeadline (${renewDeadline} ms), so that a leader stops before another takes over, ` +
          `found ${leaseDuration} ms`,
      );
    }
    if (renewDeadline <= JITTER * retryPeriod) {
      refuse(
        'renewDeadline',
        `expected more than ${JITTER} times retryPeriod (${retryPeriod} ms), so that a leader has a second try, ` +
          `found ${renewDeadline} ms`,
      );
    }
  }) satisfies z.ZodType<LeaderElectionOptions>;

/** All that {@link LeaderElectionOptions} leaves open, decided. */
export interface LeaderElectionConfig extends Required<LeaderElectionOptions> {
  /** Tells this process from every other one. */
  readonly identity: string;
}

/** Where the kubelet says which namespace a Pod is in. */
const NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/** @throws {TypeError} when `namespace` is left out and this process is in no Pod. */
export function resolveLeaderElection(options: LeaderElectionOptions): LeaderElectionConfig {
  return {
    ...DEFAULTS,
    ...options,
    namespace: options.namespace ?? namespaceOfPod(),
    identity: `${hostname()}_${randomUUID()}`,
  };
}

function namespaceOfPod(): string {
  try {
    return readFileSync(NAMESPACE_FILE, 'utf8').trim();
  } catch (cause) {
    throw new TypeError(
      'createManager: option "leaderElection.namespace": expected the namespace of the Lease, since this process is in no Pod',
      { cause },
    );
  }
}
