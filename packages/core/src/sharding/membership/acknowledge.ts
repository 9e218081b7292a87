import type { MemberRecord } from './member-record.ts';
import type { Membership } from './membership.ts';
import { fenceEnd } from './membership.ts';

/** A record that the hub has, as an answer or a read shows it. */
export interface Acknowledged {
  readonly record: MemberRecord;
  readonly resourceVersion: string;
  readonly now: number;
}

/**
 * Learns that the hub has a record of this member. The fence then counts from when that record was sent, whether its own
 * answer or a later read shows it: if only answers are lost, no other member evicts this one, so it has to go on.
 */
export function acknowledge(state: Membership, { record, resourceVersion, now }: Acknowledged): Membership {
  const { lease } = state;
  const { sequence } = record;
  const next: Membership = {
    ...state,
    acked: record.acked,
    lease: {
      ...lease,
      resourceVersion,
      known: sequence,
      record,
      pending: lease.pending.filter((renewal) => renewal.sequence > sequence),
    },
  };
  const renewal = lease.pending.find((sent) => sent.sequence === sequence);
  if (!renewal) return next;
  // Others may go by a record that was sent since, too.
  const window = Math.min(renewal.window, ...next.lease.pending.map((later) => later.window));
  const fence = { sentAt: renewal.sentAt, window };
  return now < fenceEnd({ fence }) ? { ...next, fence } : next;
}
