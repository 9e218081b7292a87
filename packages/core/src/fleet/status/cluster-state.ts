import type { ClusterPhase, Isolation, SourceObservation } from './fleet.ts';

/** The facts that determine the phase of one cluster. */
export interface ClusterState {
  readonly phase: ClusterPhase;
  readonly reason: string;
  /** The latest declaration about the cluster as a whole. */
  readonly declared: Declaration;
  /** Every running source, by {@link sourceKey}. */
  readonly sources: ReadonlyMap<string, SourceObservation>;
  /** Latest report of the provider since the engagement. A later declaration clears it, unless it is a problem. */
  readonly report?: Report;
  /** Why the cluster does not answer. Absent while it answers. */
  readonly silence?: string;
  /** Restriction of its reconciles, if any. */
  readonly isolation?: Isolation;
}

export interface Declaration {
  readonly phase: ClusterPhase;
  readonly reason: string;
}

interface Facts {
  readonly silence?: string | undefined;
  readonly isolation?: Isolation | undefined;
  readonly report?: Report | undefined;
}

export interface Report {
  readonly reason: string;
  readonly isProblem: boolean;
}

export type FleetInput =
  | { readonly type: 'declared'; readonly declaration: Declaration }
  | { readonly type: 'reported'; readonly report: Report }
  | { readonly type: 'source'; readonly observation: SourceObservation }
  | { readonly type: 'unreachable'; readonly reason: string }
  | { readonly type: 'reachable' }
  | { readonly type: 'isolated'; readonly isolation: Isolation | undefined };

/** State of a cluster before the first report. */
export const unknown: ClusterState = stateOf({ phase: 'Discovered', reason: 'it was discovered' }, new Map());

/** Returns the next state of a cluster after an observation. */
export function transition(before: ClusterState, input: FleetInput): ClusterState {
  switch (input.type) {
    case 'declared':
      return declared(before, input.declaration);
    case 'reported':
      return stateOf(before.declared, before.sources, { ...before, report: input.report });
    case 'source': {
      // A late report of a controller about a cluster that is disengaged.
      if (before.declared.phase === 'Disengaged') return before;
      const sources = new Map(before.sources);
      if (input.observation.state === 'stopped') sources.delete(sourceKey(input.observation));
      else sources.set(sourceKey(input.observation), input.observation);
      return stateOf(before.declared, sources, before);
    }
    case 'unreachable':
      return stateOf(before.declared, before.sources, { ...before, silence: input.reason });
    case 'reachable': {
      // The previous reason is out of date.
      const { declared } = before;
      return stateOf(
        declared.phase === 'Engaged' ? { ...declared, reason: 'it answers again' } : declared,
        before.sources,
        { isolation: before.isolation, report: problemIn(before) },
      );
    }
    case 'isolated':
      // A late notification of the breaker of a disengaged cluster.
      if (before.declared.phase === 'Disengaged') return before;
      return stateOf(before.declared, before.sources, { ...before, isolation: input.isolation });
  }
}

function declared(before: ClusterState, declaration: Declaration): ClusterState {
  switch (declaration.phase) {
    case 'Disengaged':
      return stateOf(declaration, new Map());
    case 'Discovered':
      // A cluster that another process serves has no sources.
      return stateOf(declaration, new Map(), { report: problemIn(before) });
    case 'Syncing':
      // A new engagement: no problem of its endpoint is known.
      return stateOf(declaration, before.sources);
    default:
      return stateOf(declaration, before.sources, { ...before, report: problemIn(before) });
  }
}

function problemIn({ report }: ClusterState): Report | undefined {
  return report?.isProblem ? report : undefined;
}

/**
 * Returns the state that follows from the facts. The phase of an engaged cluster depends on its sources: it is Syncing
 * while controllers are being notified or a source has not synced, and Engaged afterwards. An unresponsive cluster is
 * Unreachable, independent of its sources. A parked cluster is Degraded, because nothing is reconciled in it. A report
 * of the provider changes only the reason, because an engaged cluster keeps working if its inventory entry becomes
 * invalid.
 */
function stateOf(
  declared: Declaration,
  sources: ReadonlyMap<string, SourceObservation>,
  { silence, isolation, report }: Facts = {},
): ClusterState {
  const known = {
    declared,
    sources,
    ...(silence !== undefined && { silence }),
    ...(isolation && { isolation }),
    ...(report && { report }),
  };
  if (declared.phase === 'Discovered' && report) {
    return { phase: 'Discovered', reason: `${declared.reason}; ${report.reason}`, ...known };
  }
  if (declared.phase !== 'Syncing' && declared.phase !== 'Engaged') return { ...declared, ...known };
  if (silence !== undefined) return { phase: 'Unreachable', reason: silence, ...known };
  if (isolation?.state === 'parked') return { phase: 'Degraded', reason: `parked: ${isolation.reason}`, ...known };
  const observations = [...sources.values()];
  const failed = observations.find(({ state, error }) => state === 'failed' || error);
  if (failed) {
    const why = failed.error ? `: ${failed.error.message}` : '';
    return {
      phase: 'Degraded',
      reason: `${failed.source} of controller ${failed.controller} fails${why}`,
      ...known,
    };
  }
  const retrying = observations.find(({ unhandled }) => unhandled);
  if (retrying?.unhandled) {
    const { source, controller, unhandled } = retrying;
    return {
      phase: 'Degraded',
      reason: `events of ${source} for controller ${controller} could not be handled, retrying: ${unhandled.message}`,
      ...known,
    };
  }
  const syncing = observations.filter(({ state }) => state === 'syncing');
  if (syncing.length > 0) {
    const waiting = syncing.find(({ waitsFor }) => waitsFor !== undefined);
    if (!waiting) return { phase: 'Syncing', reason: 'initial lists are in progress', ...known };
    const { source, controller, waitsFor } = waiting;
    return { phase: 'Syncing', reason: `${source} of controller ${controller} waits: ${waitsFor}`, ...known };
  }
  return { phase: declared.phase, reason: report?.reason ?? declared.reason, ...known };
}

/** Includes the controller, because two controllers may watch the same kind. */
function sourceKey({ controller, source }: SourceObservation): string {
  return `${controller}\n${source}`;
}
