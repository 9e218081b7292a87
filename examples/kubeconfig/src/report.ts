import type { Fleet } from '@mcr/core';
import { LOCAL_CLUSTER } from '@mcr/core';

/** How one step of the story went. */
export interface StepReport {
  readonly name: string;
  readonly ok: boolean;
  readonly ms: number;
  readonly error?: string;
}

/** The document that `--json` prints. */
export interface DemoReport {
  /** The members, by name. */
  readonly clusters: Record<string, { phase: string; reconciles: number; errors: number }>;
  readonly steps: readonly StepReport[];
  /** From the start of the process to the first reconcile. */
  readonly firstReconcileMs: number | null;
  readonly ok: boolean;
}

export interface Played {
  /** How many steps the story has. */
  readonly planned: number;
  /** Those that were played. */
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

/** The report's last line for people. */
export function summary({ clusters, steps, firstReconcileMs, ok }: DemoReport): string {
  const reconciles = Object.values(clusters).reduce((sum, cluster) => sum + cluster.reconciles, 0);
  const done = steps.filter((step) => step.ok).length;
  return (
    `${ok ? 'All' : 'Not all'} of it happened: ${done} of ${steps.length} steps, ${Object.keys(clusters).length} clusters, ` +
    `${reconciles} reconciles, the first ${firstReconcileMs ?? '–'} ms after the start.`
  );
}
