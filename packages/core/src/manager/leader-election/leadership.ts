import type { LeaseRecord } from './lease-record.ts';

/**
 * State of one candidate. Times are from this machine's monotonic clock. Writes by other candidates show that they are
 * alive, but their timestamps are not used.
 */
export type Leadership =
  /** Left when the server accepts this candidate's name in the lease. */
  | { readonly phase: 'candidate'; readonly sighting?: Sighting }
  /** Left when the lease was not renewed in time or has another holder. */
  | { readonly phase: 'leader'; readonly record: LeaseRecord; readonly renewedAt: number }
  /** Never left. A process that has lost its lease has to restart. */
  | { readonly phase: 'lost'; readonly reason: string };

/** A lease as it was last read. */
export interface Sighting {
  /** `undefined` if the lease does not exist. */
  readonly record: LeaseRecord | undefined;
  /** When this version was first read. */
  readonly since: number;
}

export type LeadershipInput =
  /** The lease was read. */
  | { readonly type: 'read'; readonly record: LeaseRecord | undefined; readonly at: number }
  /** The server accepted the lease with this candidate as holder, sent at `sentAt`. */
  | { readonly type: 'granted'; readonly record: LeaseRecord; readonly sentAt: number; readonly at: number }
  /** Leader-elected work has ended, and the lease can be released. */
  | { readonly type: 'resigned'; readonly at: number }
  /** Time has passed. */
  | { readonly type: 'time'; readonly at: number };

export interface ElectionRules {
  readonly identity: string;
  /** Time after which a leader without a renewal stops, in milliseconds. */
  readonly renewDeadline: number;
}

/**
 * Returns the next state of a candidate. (Upstream: client-go's `tools/leaderelection`.)
 *
 * A leader measures its deadline from the time at which it sent its last accepted write. Other candidates measure the
 * lease duration, which is longer, from the time at which they first read that write, which is later. So a leader stops
 * before another one starts.
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

/** Whether a candidate may take the lease now. */
export function mayClaim({ record, since }: Sighting, at: number, { identity }: ElectionRules): boolean {
  if (!record || record.holder === '' || record.holder === identity) return true;
  return at >= since + record.duration;
}

/** Returns the time at which a leader stops leading unless it renews its lease. */
export function deadlineOf({ renewedAt }: { readonly renewedAt: number }, { renewDeadline }: ElectionRules): number {
  return renewedAt + renewDeadline;
}

function afterDeadline(state: Leadership, at: number, rules: ElectionRules): Leadership {
  if (state.phase !== 'leader' || at < deadlineOf(state, rules)) return state;
  return { phase: 'lost', reason: `it was not renewed within ${rules.renewDeadline} ms` };
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
    return { phase: 'lost', reason: `its holder is now ${record.holder}` };
  }
  // Another client changed the lease, but not to another holder. The next renewal continues from this version.
  return { ...state, record: { ...state.record, version: record?.version ?? '' } };
}
