/** The type of a call. A cluster may answer reads and lose writes, or the reverse. */
export type CallType = 'read' | 'write';

/**
 * State of the circuit breaker of one cluster. The results of the calls that reconciles send to the cluster determine
 * the state, and the state limits the workers that the cluster may hold.
 */
export type BreakerState =
  /** Left when a call is overdue, calls expire, or the connection is silent. */
  | BreakerClosed
  /**
   * Left when calls of the overdue types are answered in time again, no call was late for a while, calls expire, or the
   * connection is silent.
   */
  | BreakerSlow
  /** Refuses all calls. After silence, left when a health check succeeds; otherwise when a trial is due. */
  | BreakerParked
  /** Allows one reconcile at a time. Left when its call is answered or expires, or when no call was late for a while. */
  | BreakerHalfOpen;

export interface BreakerClosed extends BreakerHistory {
  readonly phase: 'closed';
}

export interface BreakerSlow extends BreakerHistory {
  readonly phase: 'slow';
  readonly reason: string;
  /** The types of calls that are overdue. */
  readonly overdue: readonly CallType[];
  /** Whether a call was answered since then, but late. */
  readonly answers: boolean;
  /** Whether a controller suspected it before a call was overdue. */
  readonly suspected: boolean;
}

export interface BreakerParked {
  readonly phase: 'parked';
  readonly reason: string;
  /** The type of requests without an answer: pings, or calls of one type. */
  readonly cause: 'ping' | CallType;
  readonly parks: number;
}

export interface BreakerHalfOpen {
  readonly phase: 'half-open';
  readonly reason: string;
  readonly cause: CallType;
  readonly parks: number;
}

export interface BreakerHistory {
  /** Number of calls of each type that expired since the last answer. */
  readonly expired: Readonly<Record<CallType, number>>;
  /** Number of times it was parked since a call was last answered in time. */
  readonly parks: number;
}

export type BreakerInput =
  /** A call has had no complete response for a second, or a controller suspects it earlier (`suspected`). */
  | { readonly type: 'overdue'; readonly call: CallType; readonly reason: string; readonly suspected?: boolean }
  /** A response is complete; `late` if the call was overdue. */
  | { readonly type: 'answered'; readonly call: CallType; readonly late: boolean }
  /** A call has had no complete response until its deadline, or so long that it counts as lost. */
  | { readonly type: 'expired'; readonly call: CallType; readonly reason: string }
  /** Nothing has arrived from the server since a ping. */
  | { readonly type: 'silent'; readonly reason: string }
  /** A health check has succeeded. */
  | { readonly type: 'recovered' }
  /** A trial is due. */
  | { readonly type: 'retry' }
  /** No call was late for a while, although reconciles were free to send calls. */
  | { readonly type: 'quiet' };

const NONE_EXPIRED = { read: 0, write: 0 };

export const CLOSED: BreakerState = { phase: 'closed', expired: NONE_EXPIRED, parks: 0 };

/** Number of calls of one type that must expire in a row before the cluster is parked. */
const MAX_EXPIRED = 2;

/** Returns the next state. Input that has no effect in a state returns the same state object. */
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

function fromClosed(state: BreakerClosed, input: BreakerInput): BreakerState {
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

function fromSlow(state: BreakerSlow, input: BreakerInput): BreakerState {
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
    case 'quiet':
      return { phase: 'closed', expired: state.expired, parks: state.parks };
    default:
      return state;
  }
}

function fromParked(state: BreakerParked, input: BreakerInput): BreakerState {
  const { cause, parks, reason } = state;
  // A health check is a read: it proves nothing about calls that expire while the connection works.
  if (input.type === 'recovered' && cause === 'ping') return { phase: 'closed', expired: NONE_EXPIRED, parks };
  if (input.type === 'retry' && cause !== 'ping') return { phase: 'half-open', cause, parks, reason };
  return state;
}

function fromHalfOpen(state: BreakerHalfOpen, input: BreakerInput): BreakerState {
  if (input.type === 'expired') return parked(state, input.call, input.reason);
  const { parks, reason } = state;
  if (input.type === 'quiet') return { phase: 'closed', expired: NONE_EXPIRED, parks };
  if (input.type !== 'answered' || input.call !== state.cause) return state;
  // A late answer makes the cluster slow, so that it does not stay parked forever.
  if (input.late) return { ...slow({ expired: NONE_EXPIRED, parks }, { ...input, reason }), answers: true };
  return CLOSED;
}

function slow(
  { expired: counts, parks }: BreakerHistory,
  {
    call,
    reason,
    suspected = false,
  }: { readonly call: CallType; readonly reason: string; readonly suspected?: boolean },
): BreakerSlow {
  return { phase: 'slow', reason, overdue: [call], answers: false, suspected, expired: counts, parks };
}

function answered<S extends BreakerHistory>(state: S, { call, late }: BreakerInput & { readonly type: 'answered' }): S {
  const parks = late ? state.parks : 0;
  if (state.expired[call] === 0 && state.parks === parks) return state;
  return { ...state, expired: { ...state.expired, [call]: 0 }, parks };
}

function expired(
  state: BreakerClosed | BreakerSlow,
  { call, reason }: BreakerInput & { readonly type: 'expired' },
): BreakerState {
  const count = state.expired[call] + 1;
  if (count >= MAX_EXPIRED) return parked(state, call, reason);
  return { ...state, expired: { ...state.expired, [call]: count } };
}

function parked(
  { parks }: BreakerClosed | BreakerSlow | BreakerHalfOpen,
  cause: BreakerParked['cause'],
  reason: string,
): BreakerState {
  return { phase: 'parked', cause, reason, parks: parks + 1 };
}

/** Returns the isolation shown in the fleet status for a state. */
export function isolationOf(
  state: BreakerState,
): { readonly state: 'slow' | 'parked'; readonly reason: string } | undefined {
  if (state.phase === 'closed') return undefined;
  return { state: state.phase === 'slow' ? 'slow' : 'parked', reason: state.reason };
}
