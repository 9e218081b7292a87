import type { Logger } from '@mcr/client';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import type { FleetRecorder } from '../fleet/status/fleet.ts';

export interface UpkeepReportOptions {
  readonly recorder: FleetRecorder;
  readonly name: ClusterName;
  readonly controller: string;
  readonly problemMessage: string;
  readonly log: Logger;
}

/** Reports the parts of a task of one cluster in the fleet status, and logs each new problem once. */
export class UpkeepReport {
  readonly #options: UpkeepReportOptions;
  /** The latest problem of each reported part. */
  readonly #problems = new Map<string, string | undefined>();

  constructor(options: UpkeepReportOptions) {
    this.#options = options;
  }

  report(source: string, problem: Error | undefined): void {
    const { recorder, name, controller, problemMessage, log } = this.#options;
    recorder.source(name, {
      controller,
      source,
      ...(problem ? { state: 'failed', error: problem } : { state: 'synced' }),
    });
    if (problem && problem.message !== this.#problems.get(source)) {
      log.warn(problemMessage, { source, error: problem });
    }
    this.#problems.set(source, problem?.message);
  }

  /** Withdraws what was reported. */
  stopped(): void {
    const { recorder, name, controller } = this.#options;
    for (const source of this.#problems.keys()) recorder.source(name, { controller, source, state: 'stopped' });
    this.#problems.clear();
  }
}
