import { namespaceSchema, positiveMilliseconds } from '@mcr/client';
import * as z from 'zod';
import { podName, podNamespace } from '../options/pod.ts';
import type { ClusterStatus } from '../fleet/status/fleet.ts';
import type { ShardGroup } from './lease/group.ts';
import type { MembershipRules } from './membership/rules.ts';
import { DEFAULT_SLOTS, isSlotCount, MAX_SLOTS } from './plan/slot.ts';
import { DEFAULT_RULES, evictionTime, fenceWindow, MAX_DURATION } from './membership/rules.ts';

/** Options of sharding: how the replicas of one program divide the fleet. Durations are in milliseconds. */
export interface ShardingOptions {
  /** Name of the group: the same for all replicas of one program, and different for other programs. */
  readonly name: string;
  /** Namespace of the Leases in the local cluster. Default: `$POD_NAMESPACE`, else the namespace of the Pod. */
  readonly namespace?: string;
  /** Name of this replica. Default: `$POD_NAME`, else the host name, which is the name of the Pod. */
  readonly replicaId?: string;
  /** Number of slots, a power of two up to 4,096. All replicas of a group need the same. Default: 1,024. */
  readonly slots?: number;
  /** A replica that does not renew its Lease for `leaseDuration + margin` is evicted. Default: 12,000. */
  readonly leaseDuration?: number;
  /** Time between two renewals of a Lease. Default: 3,000. */
  readonly renewInterval?: number;
  /** A replica stops writing `leaseDuration - margin` after its last renewal. Default: 3,000. */
  readonly margin?: number;
  /** Time for reconciles in progress to end when a cluster is given to another replica. Default: 10,000. */
  readonly drainTimeout?: number;
  /** Time for the next owner of a cluster to fill its caches before the cluster is given to it. Default: 60,000. */
  readonly warmTimeout?: number;
  /** Deadline of each write to a cluster. Default: 5,000. */
  readonly writeDeadline?: number;
  /** Share of the load, relative to the other replicas. With 0, the replica takes clusters only if no other can. Default: 1. */
  readonly weight?: number;
  /**
   * Returns the load of a cluster that this replica serves, 0 or more, in any unit that all replicas of the group have in
   * common. Called every 30 s for each of these clusters. Default: each cluster counts as 1.
   */
  readonly loadOf?: (status: ClusterStatus) => number;
}

/** Maximum difference between the rates of the clocks of two machines. */
const CLOCK_RATE = 0.01;
/** Minimum time between the arrival of a replica's last write and the first write of its successor, in milliseconds. */
const MIN_REST = 500;

/** Minimum of `renewInterval`, which is also the deadline of each request to the hub if it is short, in milliseconds. */
const MIN_INTERVAL = 100;

const TOO_LONG = `expected at most ${MAX_DURATION} ms`;
const duration = positiveMilliseconds.max(MAX_DURATION, TOO_LONG);
const INTERVAL = `expected a number of milliseconds of at least ${MIN_INTERVAL}`;
const interval = z.number(INTERVAL).min(MIN_INTERVAL, INTERVAL).max(MAX_DURATION, TOO_LONG);

/** Larger weights count as this. */
const MAX_WEIGHT = 1_000_000;

const NAME = 'expected 1 to 63 lower-case letters, digits and "-", such as "config-copier"';
const REPLICA =
  'expected 1 to 100 lower-case letters, digits, "-" and ".", with a letter or digit on both sides of each ".", such as "replica-1"';
const SLOTS = `expected a power of two from 1 to ${MAX_SLOTS}`;

/** Validates {@link ShardingOptions}, including the relations between durations. */
export const shardingSchema = z
  .strictObject({
    name: z.string(NAME).regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/u, NAME),
    namespace: namespaceSchema.exactOptional(),
    replicaId: z
      .string(REPLICA)
      .max(100, REPLICA)
      .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/u, REPLICA)
      .exactOptional(),
    slots: z
      .int(SLOTS)
      .refine((slots) => isSlotCount(slots), {
        error: ({ input }) => `${SLOTS}, found ${String(input)}`,
      })
      .exactOptional(),
    leaseDuration: duration.exactOptional(),
    renewInterval: interval.exactOptional(),
    margin: duration.exactOptional(),
    drainTimeout: duration.exactOptional(),
    warmTimeout: duration.exactOptional(),
    writeDeadline: duration.exactOptional(),
    weight: z
      .number('expected a number')
      .nonnegative('expected 0 or more')
      .max(MAX_WEIGHT, `expected at most ${MAX_WEIGHT}`)
      .exactOptional(),
    loadOf: z
      .custom<(status: ClusterStatus) => number>((value) => typeof value === 'function', 'expected a function')
      .exactOptional(),
  })
  .superRefine((options, context) => {
    if (context.issues.length > 0) return;
    const rules = rulesOf(options);
    const { leaseDuration, margin, renewInterval, requestDeadline, writeDeadline } = rules;
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    const minimum = 2 * renewInterval + requestDeadline;
    if (fenceWindow(rules) < minimum) {
      refuse(
        'leaseDuration',
        `expected at least margin + 2 × renewInterval + ${requestDeadline} ms = ${margin + minimum} ms, ` +
          `so that one failed renewal does not stop the replica, found ${leaseDuration} ms`,
      );
      return;
    }
    const gap = evictionTime(rules) / (1 + CLOCK_RATE) - fenceWindow(rules) / (1 - CLOCK_RATE);
    const needed = writeDeadline + MIN_REST;
    if (gap < needed) {
      const isMarginGiven = options.margin !== undefined;
      const found = isMarginGiven ? `more, found ${margin} ms` : `less, found ${writeDeadline} ms`;
      refuse(
        isMarginGiven ? 'margin' : 'writeDeadline',
        `expected ${found}: ${Math.floor(gap)} ms pass between the last write of a crashed replica and the first one of its successor. ` +
          `A writeDeadline of ${writeDeadline} ms needs ${needed} ms. ` +
          `Raise sharding.margin to ${marginFor(needed, leaseDuration)} ms, or lower sharding.writeDeadline`,
      );
    }
  }) satisfies z.ZodType<ShardingOptions>;

/** Returns the smallest margin with which a crash leaves this time between the writes of two replicas. */
function marginFor(gap: number, leaseDuration: number): number {
  const [fast, slow] = [1 / (1 + CLOCK_RATE), 1 / (1 - CLOCK_RATE)];
  return Math.ceil((gap + leaseDuration * (slow - fast)) / (fast + slow));
}

/** {@link ShardingOptions} with all defaults applied. */
export interface ShardingConfig {
  readonly group: ShardGroup;
  readonly replicaId: string;
  readonly weight: number;
  readonly rules: MembershipRules;
}

/** @throws {TypeError} if neither `namespace` nor `$POD_NAMESPACE` is set and this process does not run in a Pod. */
export function resolveSharding(options: ShardingOptions): ShardingConfig {
  const {
    name,
    namespace = podNamespace('sharding.namespace'),
    replicaId = replicaOfHost(),
    slots = DEFAULT_SLOTS,
  } = options;
  return { group: { name, namespace, slots }, replicaId, weight: options.weight ?? 1, rules: rulesOf(options) };
}

/** Returns the time that a replica needs to stop, in milliseconds. */
export function shutdownTime({ rules: { warmTimeout, drainTimeout } }: ShardingConfig): number {
  return warmTimeout + drainTimeout + 5_000;
}

function rulesOf(options: Partial<ShardingOptions>): MembershipRules {
  const { leaseDuration, renewInterval, margin, drainTimeout, warmTimeout, writeDeadline } = options;
  const given = { leaseDuration, renewInterval, margin, drainTimeout, warmTimeout, writeDeadline };
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const rules = { ...DEFAULT_RULES, ...set };
  return {
    ...rules,
    requestDeadline: Math.min(rules.requestDeadline, rules.renewInterval),
    retryInterval: Math.min(rules.retryInterval, rules.renewInterval),
  };
}

/** Returns the name of the Pod in the form of a name of Kubernetes, because Leases are named after the replica. */
export function replicaOfHost(host = podName()): string {
  const labels = host
    .toLowerCase()
    .slice(0, 100)
    .split('.')
    .map((label) => label.replaceAll(/[^a-z0-9]+/gu, '-').replaceAll(/^-+|-+$/gu, ''));
  return labels.filter((label) => label !== '').join('.') || 'replica';
}
