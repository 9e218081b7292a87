import type { LeaseRecord } from './lease-record.ts';

/**
 * One candidate's part in an election. Instants are monotonic, and this machine's own: what others write into a lease
 * only says that they are alive, never when.
 */
export type Leadership =
  /** Left when the server accepts this candidate's name in the lease. */
  | { readonly phase: 'candidate'; readonly sighting?: Sighting }
  /** Left when the lease could not be renewed in time, or another's name is in it. */
  | { readonly phase: 'leader'; readonly record: LeaseRecord; readonly renewedAt: number }
  /** Never left: a process that has lost its lease starts anew. */
  | { readonly phase: 'lost'; readonly reason: string };

/** A lease as it was last read. */
export interface Sighting {
  /** `undefined`: there is no lease yet. */
  readonly record: LeaseRecord | undefined;
  /** When this version of it was first seen. */
  readonly since: number;
}

export type LeadershipInput =
  /** The lease was read. */
  | { readonly type: 'read'; readonly record: LeaseRecord | undefined; readonly at: number }
  /** The server has accepted what was sent at `sentAt`, the lease with this candidate's name. */
  | { readonly type: 'granted'; readonly record: LeaseRecord; readonly sentAt: number; readonly at: number }
  /** Leader-elected work is over, and the lease is to be given back. */
  | { readonly type: 'resigned'; readonly at: number }
  /** Time has passed. */
  | { readonly type: 'time'; readonly at: number };

export interface ElectionRules {
  readonly identity: string;
  /** How long a leader goes on without renewing its lease, in milliseconds. */
  readonly renewDeadline: number;
}

/**
 * What a candidate becomes. (Upstream: client-go's `tools/leaderelection`.)
 *
 * A leader counts from the instant it *sent* its last accepted write, everybody else from when they first *saw* it,
 * which is later; and its deadline is shorter than their wait. So its work is over before another's begins.
 */
export function transition(state: Leadership, input: LeadershipInput, rules: ElectionRules): Leadership {
  const current = afterDeadline(state, input.at, rules);
  if (current.phase === 'lost') return current;
  switch (input.type) {
    case 'time':
      return current;
    case 'resigned':
      return { phase: 'candidate' };
    case 'granted':
      return { phase: 'leader', record: input.record, renewedAt: input.sentAt };
    case 'read':
      return read(current, input, rules);
  }
}

/** Whether a candidate may write its name into the lease now. */
export function mayClaim({ record, since }: Sighting, at: number, { identity }: ElectionRules): boolean {
  if (!record || record.holder === '' || record.holder === identity) return true;
  return at >= since + record.duration;
}

/** The instant from which a leader no longer is one unless it has renewed its lease. */
export function deadlineOf({ renewedAt }: { readonly renewedAt: number }, { renewDeadline }: ElectionRules): number {
  return renewedAt + renewDeadline;
}

function afterDeadline(state: Leadership, at: number, rules: ElectionRules): Leadership {
  if (state.phase !== 'leader' || at < deadlineOf(state, rules)) return state;
  return { phase: 'lost', reason: `it could not be renewed within ${rules.renewDeadline} ms` };
}

function read(
  state: Exclude<Leadership, { phase: 'lost' }>,
  { record, at }: Extract<LeadershipInput, { type: 'read' }>,
  { identity }: ElectionRules,
): Leadership {
  if (state.phase === 'candidate') {
    const { sighting } = state;
    if (sighting && sighting.record?.version === record?.version) return state;
    return { phase: 'candidate', sighting: { record, since: at } };
  }
  if (record && record.holder !== '' && record.holder !== identity) {
    return { phase: 'lost', reason: `${record.holder} has taken it` };
  }
  // Somebody else wrote to it: its name is still there, or nobody's is, and the next renewal goes on from this version.
  return { ...state, record: { ...state.record, version: record?.version ?? '' } };
}
