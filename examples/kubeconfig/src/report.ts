import type { Fleet } from '@mcr/core';
import { LOCAL_CLUSTER } from '@mcr/core';

/** Result of one step. */
export interface StepReport {
  readonly name: string;
  readonly ok: boolean;
  readonly ms: number;
  readonly error?: string;
}

/** The document that `--json` prints. */
export interface DemoReport {
  /** Members by name. */
  readonly clusters: Record<string, { phase: string; reconciles: number; errors: number }>;
  readonly steps: readonly StepReport[];
  /** Milliseconds from the start of the process to the first reconcile. */
  readonly firstReconcileMs: number | null;
  readonly ok: boolean;
}

export interface Played {
  /** Number of steps of the demo. */
  readonly planned: number;
  /** Steps that ran. */
  readonly steps: readonly StepReport[];
  readonly firstReconcileMs: number | null;
}

export function demoReport(fleet: Fleet, { planned, steps, firstReconcileMs }: Played): DemoReport {
  const clusters = fleet
    .list()
    .filter(({ name }) => name !== LOCAL_CLUSTER)
    .map(({ name, phase, reconciles, errors }) => [name, { phase, reconciles, errors }]);
  return {
    clusters: Object.fromEntries(clusters) as DemoReport['clusters'],
    steps,
    firstReconcileMs,
    ok: firstReconcileMs !== null && steps.length === planned && steps.every(({ ok }) => ok),
  };
}

/** Returns the last line of the demo's output. */
export function summary({ clusters, steps, firstReconcileMs, ok }: DemoReport): string {
  const reconciles = Object.values(clusters).reduce((sum, cluster) => sum + cluster.reconciles, 0);
  const done = steps.filter((step) => step.ok).length;
  return (
    `${ok ? 'Passed' : 'Failed'}: ${done} of ${steps.length} steps, ${Object.keys(clusters).length} clusters, ` +
    `${reconciles} reconciles; first reconcile ${firstReconcileMs ?? '–'} ms after the start.`
  );
}
