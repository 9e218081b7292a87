import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '@mcr/client';
import { isRefusal, shortened } from '@mcr/client';
import type { ClusterName } from '../multicluster/cluster-name.ts';
import { ChangeFeed } from './change-feed.ts';
import type {
  ClusterStatus,
  Fleet,
  FleetRecorder,
  Isolation,
  OwnershipStatus,
  SourceObservation,
  SourceStatus,
} from './fleet.ts';
import { History } from './history.ts';
import { problemOf } from './problem.ts';
import type { FleetInput, ClusterState } from './cluster-state.ts';
import { transition, unknown } from './cluster-state.ts';

/** A new phase of a cluster, or a new reason. */
export type PhaseChange = Pick<ClusterStatus, 'name' | 'phase' | 'reason'>;

export interface FleetOptions {
  readonly clock: Clock;
  /** Called after every change of a phase or its reason, with the error that caused it. */
  readonly onChange?: (change: PhaseChange, error: Error | undefined) => void;
  /** Called when the restriction of a cluster's reconciles begins, changes or ends. */
  readonly onIsolation?: (name: ClusterName, isolation: Isolation | undefined) => void;
  /** Returns {@link ClusterStatus.cachedBytes}. Called when the status is read. Default: it is unknown. */
  readonly cachedBytes?: (name: ClusterName) => number | undefined;
  /** Returns {@link ClusterStatus.ownership}. Called when the status is read. Default: the fleet is not sharded. */
  readonly ownership?: ((name: ClusterName) => OwnershipStatus) | undefined;
}

/** Maximum number of disengaged clusters that are remembered. */
const MAX_DISENGAGED = 1_000;

interface Member {
  readonly name: ClusterName;
  state: ClusterState;
  since: number;
  labels?: Readonly<Record<string, string>>;
  lastError?: { readonly text: string; readonly at: number };
  reconciles: number;
  errors: number;
  readonly history: History;
}

/** Creates an empty fleet. */
export function createFleet({ clock, onChange, onIsolation, cachedBytes, ownership }: FleetOptions): Fleet {
  const members = new Map<ClusterName, Member>();
  /** In the order of their disengagement. */
  const disengaged = new Set<ClusterName>();
  const feeds = new Set<ChangeFeed>();

  const memberOf = (name: ClusterName): Member => {
    let member = members.get(name);
    if (!member) {
      member = { name, state: unknown, since: clock.wallTime(), reconciles: 0, errors: 0, history: new History() };
      members.set(name, member);
    }
    return member;
  };

  const statusOf = (member: Member): ClusterStatus =>
    statusWith(member, { cachedBytes: cachedBytes?.(member.name), ownership: ownership?.(member.name) });

  const recordError = (member: Member, { message }: Error): void => {
    member.lastError = { text: shortened(message), at: clock.wallTime() };
  };

  const take = (member: Member, input: FleetInput, error: Error | undefined): void => {
    if (error) recordError(member, error);
    const before = member.state;
    const next = transition(before, input);
    const after = { ...next, reason: shortened(next.reason) };
    member.state = after;
    if (after.isolation?.state !== before.isolation?.state) onIsolation?.(member.name, after.isolation);
    const isFirst = member.history.isEmpty;
    if (!isFirst && after.phase === before.phase && after.reason === before.reason) {
      // Not a transition, because a cluster may be slow now and then.
      if (after.isolation !== before.isolation) notify(member);
      return;
    }

    const at = clock.wallTime();
    if (isFirst || after.phase !== before.phase) member.since = at;
    member.history.add({ phase: after.phase, at, reason: after.reason }, error && problemOf(error));
    remember(member);
    onChange?.({ name: member.name, phase: after.phase, reason: after.reason }, error);
    notify(member);
  };

  const notify = (member: Member): void => {
    for (const feed of feeds) feed.push(member.name, () => statusOf(member));
  };

  /** Forgets the cluster that was disengaged first if too many are remembered. */
  const remember = ({ name, state }: Member): void => {
    disengaged.delete(name);
    if (state.phase !== 'Disengaged') return;
    disengaged.add(name);
    const [oldest] = disengaged;
    if (disengaged.size <= MAX_DISENGAGED || oldest === undefined) return;
    disengaged.delete(oldest);
    members.delete(oldest);
  };

  const recorder: FleetRecorder = {
    phase(name, phase, reason, error) {
      take(memberOf(name), { type: 'declared', declaration: { phase, reason } }, error);
    },
    reported(name, reason, error) {
      take(memberOf(name), { type: 'reported', report: { reason, isProblem: error !== undefined } }, error);
    },
    source(name, observation) {
      take(memberOf(name), { type: 'source', observation }, observation.error ?? observation.unhandled);
    },
    unreachable(name, error) {
      take(memberOf(name), { type: 'unreachable', reason: error.message }, error);
    },
    reachable(name) {
      take(memberOf(name), { type: 'reachable' }, undefined);
    },
    isolated(name, isolation) {
      const member = memberOf(name);
      const before = member.state.isolation;
      const since = isolation && before?.state === isolation.state ? before.since : clock.wallTime();
      const error = isolation?.state === 'parked' ? new Error(`parked: ${isolation.reason}`) : undefined;
      take(member, { type: 'isolated', isolation: isolation && { ...isolation, since } }, error);
    },
    healthy(name) {
      for (const { error: _, ...observation } of [...memberOf(name).state.sources.values()]) {
        if (!observation.lastError) continue;
        const error = observation.lastError();
        recorder.source(name, isRefusal(error) ? { ...observation, error } : observation);
      }
    },
    labels(name, labels) {
      const member = members.get(name);
      if (!member || isDeepStrictEqual(labels, member.labels ?? {})) return;
      if (Object.keys(labels).length > 0) member.labels = labels;
      else delete member.labels;
      notify(member);
    },
    ownership(name) {
      const member = members.get(name);
      if (member) notify(member);
    },
    reconcile(name, { result, error }) {
      const member = memberOf(name);
      member.reconciles += 1;
      if (result === 'error') member.errors += 1;
      if (error) recordError(member, error);
    },
  };

  return {
    recorder,
    get(name) {
      const member = members.get(name);
      return member && statusOf(member);
    },
    list() {
      return [...members.keys()].sort().map((name) => statusOf(memberOf(name)));
    },
    changes(signal) {
      const feed = new ChangeFeed(signal, () => feeds.delete(feed));
      if (!signal.aborted) feeds.add(feed);
      return feed.read();
    },
  };
}

function statusWith(
  { name, state, since, labels, lastError, reconciles, errors, history }: Member,
  {
    cachedBytes,
    ownership,
  }: { readonly cachedBytes: number | undefined; readonly ownership: OwnershipStatus | undefined },
): ClusterStatus {
  const sources = summarize(state.sources.values());
  return {
    name,
    phase: state.phase,
    since,
    reason: state.reason,
    ...(labels && { labels }),
    ...(lastError && { lastError: lastError.text, lastErrorAt: lastError.at }),
    ...(ownership && { ownership }),
    ...(state.isolation && { isolation: state.isolation }),
    sources,
    objects: Object.values(sources).reduce((sum, { objects }) => sum + objects, 0),
    ...(cachedBytes !== undefined && { cachedBytes }),
    reconciles,
    errors,
    history: history.transitions,
  };
}

/** Counts the objects of a kind once, because controllers share its informer. */
function summarize(observations: Iterable<SourceObservation>): ClusterStatus['sources'] {
  const sources: Record<string, SourceStatus> = {};
  for (const { source, state, error, objects, staleFor } of observations) {
    const { synced, ...known } = sources[source] ?? { synced: true, objects: 0 };
    const stale = Math.max(known.staleFor ?? 0, staleFor?.() ?? 0);
    sources[source] = {
      synced: synced && state === 'synced' && !error,
      objects: Math.max(known.objects, objects?.() ?? 0),
      ...(stale > 0 && { staleFor: Math.round(stale) }),
    };
  }
  return sources;
}
