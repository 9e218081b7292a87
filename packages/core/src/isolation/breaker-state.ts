/** Whether a call changes the cluster. A cluster may answer the one and lose the other. */
export type CallType = 'read' | 'write';

/**
 * How far one cluster may hold workers, by what became of the calls that reconciles sent to it. The transitions are
 * those of a circuit breaker.
 */
export type BreakerState =
  /** Left when a call is overdue, calls expire, or the connection is silent. */
  | Closed
  /** Left when the calls that were overdue are answered in time again, when calls expire, or by silence. */
  | Slow
  /** No call is let through. Left when a health check succeeds after silence, else when it is time for a trial. */
  | Parked
  /** One reconcile at a time is let through. Left when its call is answered, or is not. */
  | HalfOpen;

interface Closed extends History {
  readonly phase: 'closed';
}

interface Slow extends History {
  readonly phase: 'slow';
  readonly reason: string;
  /** The types of calls that were overdue last. */
  readonly overdue: readonly CallType[];
  /** Whether a call was answered since, though late. */
  readonly answers: boolean;
  /** Whether it is slow because a controller did not wait for a second. */
  readonly suspected: boolean;
}

interface Parked {
  readonly phase: 'parked';
  readonly reason: string;
  /** What was not answered: pings, or calls of one type. */
  readonly cause: 'ping' | CallType;
  readonly parks: number;
}

interface HalfOpen {
  readonly phase: 'half-open';
  readonly reason: string;
  readonly cause: CallType;
  readonly parks: number;
}

interface History {
  /** Calls of each type that expired since one was answered. */
  readonly expired: Readonly<Record<CallType, number>>;
  /** How often it was parked since a call was last answered in time. */
  readonly parks: number;
}

export type BreakerInput =
  /** A call has had no response headers for a second, or (`suspected`) a controller does not wait that long. */
  | { readonly type: 'overdue'; readonly call: CallType; readonly reason: string; readonly suspected?: boolean }
  /** The headers of a response have come; `late` if the call was overdue. */
  | { readonly type: 'answered'; readonly call: CallType; readonly late: boolean }
  /** A call has had no response headers until its deadline, or for so long that it counts as lost. */
  | { readonly type: 'expired'; readonly call: CallType; readonly reason: string }
  /** Nothing has come from the server since a ping. */
  | { readonly type: 'silent'; readonly reason: string }
  /** A health check has succeeded. */
  | { readonly type: 'recovered' }
  /** It is time for a trial. */
  | { readonly type: 'retry' };

const NONE_EXPIRED = { read: 0, write: 0 };

export const CLOSED: BreakerState = { phase: 'closed', expired: NONE_EXPIRED, parks: 0 };

/** Calls of one type that expire one after another until the cluster is parked. */
const MOST_EXPIRED = 2;

/** The state that follows. Input that does not matter in a state returns the state itself. */
export function transition(state: BreakerState, input: BreakerInput): BreakerState {
  if (input.type === 'silent' && state.phase !== 'parked') return parked(state, 'ping', input.reason);
  switch (state.phase) {
    case 'closed':
      return fromClosed(state, input);
    case 'slow':
      return fromSlow(state, input);
    case 'parked':
      return fromParked(state, input);
    case 'half-open':
      return fromHalfOpen(state, input);
  }
}

function fromClosed(state: Closed, input: BreakerInput): BreakerState {
  switch (input.type) {
    case 'overdue':
      return slow(state, input);
    case 'answered':
      return answered(state, input);
    case 'expired':
      return expired(state, input);
    default:
      return state;
  }
}

function fromSlow(state: Slow, input: BreakerInput): BreakerState {
  switch (input.type) {
    case 'overdue':
      return state.overdue.includes(input.call) ? state : { ...state, overdue: [...state.overdue, input.call] };
    case 'answered': {
      const after = answered(state, input);
      if (input.late) return after.answers ? after : { ...after, answers: true };
      const overdue = state.overdue.filter((call) => call !== input.call);
      if (overdue.length > 0) return overdue.length === state.overdue.length ? after : { ...after, overdue };
      return { phase: 'closed', expired: after.expired, parks: after.parks };
    }
    case 'expired':
      return expired(state, input);
    default:
      return state;
  }
}

function fromParked(state: Parked, input: BreakerInput): BreakerState {
  const { cause, parks, reason } = state;
  // A health check is a read: it proves nothing about calls that expire while the connection works.
  if (input.type === 'recovered' && cause === 'ping') return { phase: 'closed', expired: NONE_EXPIRED, parks };
  if (input.type === 'retry' && cause !== 'ping') return { phase: 'half-open', cause, parks, reason };
  return state;
}

function fromHalfOpen(state: HalfOpen, input: BreakerInput): BreakerState {
  if (input.type === 'expired') return parked(state, input.call, input.reason);
  if (input.type !== 'answered' || input.call !== state.cause) return state;
  const { parks, reason } = state;
  // One that takes its time is served as a slow one, so that it is not parked for ever.
  if (input.late) return { ...slow({ expired: NONE_EXPIRED, parks }, { ...input, reason }), answers: true };
  return CLOSED;
}

function slow(
  { expired: counts, parks }: History,
  {
    call,
    reason,
    suspected = false,
  }: { readonly call: CallType; readonly reason: string; readonly suspected?: boolean },
): Slow {
  return { phase: 'slow', reason, overdue: [call], answers: false, suspected, expired: counts, parks };
}

function answered<S extends History>(state: S, { call, late }: BreakerInput & { readonly type: 'answered' }): S {
  const parks = late ? state.parks : 0;
  if (state.expired[call] === 0 && state.parks === parks) return state;
  return { ...state, expired: { ...state.expired, [call]: 0 }, parks };
}

function expired(state: Closed | Slow, { call, reason }: BreakerInput & { readonly type: 'expired' }): BreakerState {
  const count = state.expired[call] + 1;
  if (count >= MOST_EXPIRED) return parked(state, call, reason);
  return { ...state, expired: { ...state.expired, [call]: count } };
}

function parked({ parks }: Closed | Slow | HalfOpen, cause: Parked['cause'], reason: string): BreakerState {
  return { phase: 'parked', cause, reason, parks: parks + 1 };
}

/** What the fleet's status says of a state. */
export function isolationOf(
  state: BreakerState,
): { readonly state: 'slow' | 'parked'; readonly reason: string } | undefined {
  if (state.phase === 'closed') return undefined;
  return { state: state.phase === 'slow' ? 'slow' : 'parked', reason: state.reason };
}
