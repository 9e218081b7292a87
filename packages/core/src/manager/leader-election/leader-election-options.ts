import { randomUUID } from 'node:crypto';
import { namespaceSchema, positiveMilliseconds } from '@mcr/client';
import * as z from 'zod';
import { podName, podNamespace } from '../../options/pod.ts';

/** Options of leader election among the replicas of one program. Durations are in milliseconds. */
export interface LeaderElectionOptions {
  /** Name of the Lease, the same for all replicas. */
  readonly id: string;
  /** Namespace of the Lease. Default: `$POD_NAMESPACE`, else the namespace of the Pod. */
  readonly namespace?: string;
  /** Time without a renewal after which another replica takes over. Default: 15,000. */
  readonly leaseDuration?: number;
  /** Time after which a leader that cannot renew its lease stops. Default: 10,000. */
  readonly renewDeadline?: number;
  /** Interval between attempts to acquire or renew the lease. Default: 2,000. */
  readonly retryPeriod?: number;
  /** Whether a leader that stops releases the lease, so that another replica need not wait for it to expire. Default: true. */
  readonly releaseOnCancel?: boolean;
}

/** Maximum factor applied to `retryPeriod`, so that candidates do not retry in step. */
export const JITTER = 1.2;

const DEFAULTS = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000, releaseOnCancel: true };

const LEASE_NAME = 'expected the name of a Lease, such as "my-controller"';

/** Validates {@link LeaderElectionOptions}, including the relations between durations. */
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
        `expected more than ${JITTER} times retryPeriod (${retryPeriod} ms), so that a leader has a second attempt, ` +
          `found ${renewDeadline} ms`,
      );
    }
  }) satisfies z.ZodType<LeaderElectionOptions>;

/** {@link LeaderElectionOptions} with all defaults applied. */
export interface LeaderElectionConfig extends Required<LeaderElectionOptions> {
  /** Unique identity of this process. */
  readonly identity: string;
}

/** @throws {TypeError} if neither `namespace` nor `$POD_NAMESPACE` is set and this process does not run in a Pod. */
export function resolveLeaderElection(options: LeaderElectionOptions): LeaderElectionConfig {
  return {
    ...DEFAULTS,
    ...options,
    namespace: options.namespace ?? podNamespace('leaderElection.namespace'),
    identity: `${podName()}_${randomUUID()}`,
  };
}
