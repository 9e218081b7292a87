import type { Clock, Logger } from '@mcr/client';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import type { FleetRecorder } from '../fleet/status/fleet.ts';

export interface UpkeepReportOptions {
  readonly recorder: FleetRecorder;
  readonly name: ClusterName;
  readonly controller: string;
  readonly problemMessage: string;
  readonly log: Logger;
  readonly clock: Clock;
}

/** Time that a part may wait for something that others create, in milliseconds. */
const PATIENCE = 60_000;

/** Reports the parts of a task of one cluster in the fleet status, and logs each new problem once. */
export class UpkeepReport {
  readonly #options: UpkeepReportOptions;
  /** The latest problem of each reported part. */
  readonly #problems = new Map<string, string | undefined>();
  /** When each waiting part began to wait, in milliseconds. */
  readonly #waiting = new Map<string, number>();

  constructor(options: UpkeepReportOptions) {
    this.#options = options;
  }

  report(source: string, problem: Error | undefined): void {
    this.#waiting.delete(source);
    this.#record(source, problem);
  }

  /** Reports a part that waits: as a problem only after {@link PATIENCE}. */
  wait(source: string, missing: Error): void {
    const { recorder, name, controller, clock, log } = this.#options;
    const since = this.#waiting.get(source) ?? clock.now();
    if (clock.now() - since >= PATIENCE) {
      this.#record(source, missing);
      return;
    }
    if (!this.#waiting.has(source)) log.info('waiting', { source, reason: missing.message });
    this.#waiting.set(source, since);
    this.#problems.set(source, undefined);
    recorder.source(name, { controller, source, state: 'syncing', waitsFor: missing.message });
  }

  #record(source: string, problem: Error | undefined): void {
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
    this.#waiting.clear();
  }
}
