import type { Clock, Logger } from '@mcr/client';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import type { FleetRecorder } from '../fleet/status/fleet.ts';

export interface UpkeepReportOptions {
  readonly recorder: FleetRecorder;
  readonly name: ClusterName;
  readonly controller: string;
  readonly failureMessage: string;
  readonly log: Logger;
  readonly clock: Clock;
}

/** Time that a part may wait for something that others create, in milliseconds. */
const PATIENCE = 60_000;

/** Reports the parts of a task of one cluster in the fleet status, and logs each new failure once. */
export class UpkeepReport {
  readonly #options: UpkeepReportOptions;
  /** The latest failure of each reported part. */
  readonly #failures = new Map<string, string | undefined>();
  /** When each waiting part began to wait, in milliseconds. */
  readonly #waiting = new Map<string, number>();

  constructor(options: UpkeepReportOptions) {
    this.#options = options;
  }

  /** Reports the first run of parts that have not been reported yet. */
  begin(parts: readonly string[]): void {
    const { recorder, name, controller } = this.#options;
    for (const part of parts) {
      if (this.#failures.has(part)) continue;
      this.#failures.set(part, undefined);
      recorder.source(name, { controller, source: part, state: 'syncing', waitsFor: 'the first check' });
    }
  }

  report(part: string, failure: Error | undefined): void {
    this.#waiting.delete(part);
    this.#record(part, failure);
  }

  /** Reports a part that waits: as a failure only after {@link PATIENCE}. */
  wait(part: string, missing: Error): void {
    const { recorder, name, controller, clock, log } = this.#options;
    const since = this.#waiting.get(part) ?? clock.now();
    if (clock.now() - since >= PATIENCE) {
      this.#record(part, missing);
      return;
    }
    if (!this.#waiting.has(part)) log.info('waiting', { part, reason: missing.message });
    this.#waiting.set(part, since);
    this.#failures.set(part, undefined);
    recorder.source(name, { controller, source: part, state: 'syncing', waitsFor: missing.message });
  }

  #record(part: string, failure: Error | undefined): void {
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
    this.#waiting.clear();
  }
}
