/**
 * Lifecycle of one name in a set of clusters. An instance is one connection to one endpoint. It connects, is engaged,
 * and stops; a stopped instance is never used again.
 */
export type ClusterLifecycle<I> =
  /** Left when an instance is wanted. */
  | { readonly phase: 'absent' }
  /** Left when `next` is ready, has ended, is superseded or removed. */
  | { readonly phase: 'connecting'; readonly next: I }
  /** Left when another endpoint is wanted, or `current` has ended or is removed. */
  | { readonly phase: 'engaged'; readonly current: I }
  /** `current` serves until `next` is ready. Left like the two states above. */
  | { readonly phase: 'replacing'; readonly current: I; readonly next: I };

/** Difference between two instances: none, one that `rotate` can apply in place, or one that needs a new instance. */
export type Difference = 'none' | 'credentials' | 'endpoint';

export type ClusterLifecycleEvent<I> =
  | { readonly type: 'wanted'; readonly instance: I; readonly compare: (a: I, b: I) => Difference }
  /** `instance` has answered and has every index. */
  | { readonly type: 'ready'; readonly instance: I }
  /** `instance` stopped by itself, or could not be engaged. */
  | { readonly type: 'ended'; readonly instance: I }
  | { readonly type: 'removed' };

export type ClusterLifecycleEffect<I> =
  | { readonly type: 'connect'; readonly instance: I }
  /** Apply the configuration of `to` to `instance`, and drop `to`. */
  | { readonly type: 'rotate'; readonly instance: I; readonly to: I }
  | { readonly type: 'engage'; readonly instance: I }
  | { readonly type: 'stop'; readonly instance: I };

export interface ClusterLifecycleStep<I> {
  readonly state: ClusterLifecycle<I>;
  readonly effects: readonly ClusterLifecycleEffect<I>[];
}

/** Returns the next state and the effects to perform. Events of abandoned instances have no effect. */
export function transition<I>(state: ClusterLifecycle<I>, event: ClusterLifecycleEvent<I>): ClusterLifecycleStep<I> {
  switch (event.type) {
    case 'wanted':
      return want(state, event.instance, event.compare);
    case 'ready':
      return becomeReady(state, event.instance);
    case 'ended':
      return end(state, event.instance);
    case 'removed':
      return {
        state: { phase: 'absent' },
        effects: instancesOf(state).map((instance) => ({ type: 'stop', instance })),
      };
  }
}

/** Returns the running instances of a state, the engaged one first. */
export function instancesOf<I>(state: ClusterLifecycle<I>): I[] {
  switch (state.phase) {
    case 'absent':
      return [];
    case 'connecting':
      return [state.next];
    case 'engaged':
      return [state.current];
    case 'replacing':
      return [state.current, state.next];
  }
}

/** Returns the engaged instance of a state. */
export function engagedOf<I>(state: ClusterLifecycle<I>): I | undefined {
  return state.phase === 'engaged' || state.phase === 'replacing' ? state.current : undefined;
}

function want<I>(state: ClusterLifecycle<I>, wanted: I, compare: (a: I, b: I) => Difference): ClusterLifecycleStep<I> {
  const connect: ClusterLifecycleEffect<I> = { type: 'connect', instance: wanted };
  switch (state.phase) {
    case 'absent':
      return { state: { phase: 'connecting', next: wanted }, effects: [connect] };
    case 'connecting':
    case 'replacing': {
      const back = state.phase === 'replacing' && keep(state.current, wanted, compare);
      const abandon: ClusterLifecycleEffect<I> = { type: 'stop', instance: state.next };
      if (back) return { state: { phase: 'engaged', current: state.current }, effects: [abandon, ...back] };
      // An instance that is not engaged has no state worth keeping, so a new instance uses the new credentials immediately.
      if (compare(state.next, wanted) === 'none') return { state, effects: [] };
      return { state: { ...state, next: wanted }, effects: [abandon, connect] };
    }
    case 'engaged': {
      const kept = keep(state.current, wanted, compare);
      if (kept) return { state, effects: kept };
      return { state: { phase: 'replacing', current: state.current, next: wanted }, effects: [connect] };
    }
  }
}

/**
 * Returns the effects that turn the engaged `instance` into the wanted one, or `undefined` if it needs a new instance.
 */
function keep<I>(instance: I, wanted: I, compare: (a: I, b: I) => Difference): ClusterLifecycleEffect<I>[] | undefined {
  switch (compare(instance, wanted)) {
    case 'none':
      return [];
    case 'credentials':
      return [{ type: 'rotate', instance, to: wanted }];
    case 'endpoint':
      return undefined;
  }
}

function becomeReady<I>(state: ClusterLifecycle<I>, instance: I): ClusterLifecycleStep<I> {
  if (state.phase === 'connecting' && state.next === instance) {
    return { state: { phase: 'engaged', current: instance }, effects: [{ type: 'engage', instance }] };
  }
  if (state.phase === 'replacing' && state.next === instance) {
    return {
      state: { phase: 'engaged', current: instance },
      effects: [
        { type: 'engage', instance },
        { type: 'stop', instance: state.current },
      ],
    };
  }
  return { state, effects: [] };
}

function end<I>(state: ClusterLifecycle<I>, instance: I): ClusterLifecycleStep<I> {
  if (!instancesOf(state).includes(instance)) return { state, effects: [] };
  const effects: ClusterLifecycleEffect<I>[] = [{ type: 'stop', instance }];
  if (state.phase !== 'replacing') return { state: { phase: 'absent' }, effects };
  return state.next === instance
    ? { state: { phase: 'engaged', current: state.current }, effects }
    : { state: { phase: 'connecting', next: state.next }, effects };
}
