import type { Logger } from '@mcr/client';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import type { FleetRecorder } from '../fleet/status/fleet.ts';

export interface UpkeepReportOptions {
  readonly recorder: FleetRecorder;
  readonly name: ClusterName;
  readonly controller: string;
  readonly failureMessage: string;
  readonly log: Logger;
}

/** Reports the parts of a task of one cluster in the fleet status, and logs each new failure once. */
export class UpkeepReport {
  readonly #options: UpkeepReportOptions;
  /** The latest failure of each reported part. */
  readonly #failures = new Map<string, string | undefined>();

  constructor(options: UpkeepReportOptions) {
    this.#options = options;
  }

  report(part: string, failure: Error | undefined): void {
    const { recorder, name, controller, failureMessage, log } = this.#options;
    recorder.source(name, {
      controller,
      source: part,
      ...(failure ? { state: 'failed', error: failure } : { state: 'synced' }),
    });
    if (failure && failure.message !== this.#failures.get(part)) {
      log.warn(failureMessage, { part, error: failure });
    }
    this.#failures.set(part, failure?.message);
  }

  /** Withdraws what was reported. */
  stopped(): void {
    const { recorder, name, controller } = this.#options;
    for (const source of this.#failures.keys()) recorder.source(name, { controller, source, state: 'stopped' });
    this.#failures.clear();
  }
}
