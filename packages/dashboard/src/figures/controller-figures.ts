import type { Clock, Metrics } from '@mcr/core';
import type { ControllerFigures } from '../protocol.ts';
import type { Histogram } from './histogram.ts';
import { histogramsBy, percentilesOf, since } from './histogram.ts';
import { samplesOf, sumsBy } from './samples.ts';

/** Time over which rates and percentiles are taken, in milliseconds. */
const WINDOW = 60_000;

/** The counts of all controllers at one time. Each map has the name of the controller as key. */
interface Reading {
  readonly at: number;
  readonly reconciles: ReadonlyMap<string, number>;
  readonly errors: ReadonlyMap<string, number>;
  readonly durations: ReadonlyMap<string, Histogram>;
  readonly waits: ReadonlyMap<string, Histogram>;
}

/** Reads the metrics of controllers, and compares them with those of a minute before. */
export class ControllerFigureReader {
  readonly #metrics: Pick<Metrics, 'registry'>;
  readonly #clock: Pick<Clock, 'now'>;
  /** Readings of the last minute, oldest first. */
  #readings: Reading[] = [];

  constructor(metrics: Pick<Metrics, 'registry'>, clock: Pick<Clock, 'now'>) {
    this.#metrics = metrics;
    this.#clock = clock;
  }

  async read(): Promise<ControllerFigures[]> {
    const reading = await this.#reading();
    this.#readings = this.#readings.filter(({ at }) => at >= reading.at - WINDOW);
    this.#readings.push(reading);
    const gauge = async (name: string) => sumsBy('controller', await samplesOf(this.#metrics, name));
    const [limits, active, depths, longest] = await Promise.all([
      gauge('controller_runtime_max_concurrent_reconciles'),
      gauge('controller_runtime_active_workers'),
      gauge('workqueue_depth'),
      gauge('workqueue_longest_running_processor_seconds'),
    ]);
    return [...limits.keys()].sort().map((name) => ({
      name,
      workers: limits.get(name) ?? 0,
      activeWorkers: active.get(name) ?? 0,
      depth: depths.get(name) ?? 0,
      longestSeconds: longest.get(name) ?? 0,
      ...this.#recent(name, reading),
    }));
  }

  async #reading(): Promise<Reading> {
    const read = (name: string) => samplesOf(this.#metrics, name);
    const [reconciles, errors, durations, waits] = await Promise.all([
      read('controller_runtime_reconcile_total'),
      read('controller_runtime_reconcile_errors_total'),
      read('controller_runtime_reconcile_time_seconds'),
      read('workqueue_queue_duration_seconds'),
    ]);
    return {
      at: this.#clock.now(),
      reconciles: sumsBy('controller', reconciles),
      errors: sumsBy('controller', errors),
      durations: histogramsBy('controller', durations),
      waits: histogramsBy('controller', waits),
    };
  }

  /** Compares a reading with the oldest one of the last minute. */
  #recent(name: string, now: Reading) {
    const reconciles = now.reconciles.get(name) ?? 0;
    const errors = now.errors.get(name) ?? 0;
    const [before] = this.#readings;
    const seconds = (now.at - (before?.at ?? now.at)) / 1_000;
    if (!before || seconds === 0) return { reconciles, errors };
    const [duration, wait] = [now.durations.get(name), now.waits.get(name)];
    const reconcileSeconds = duration && percentilesOf(since(before.durations.get(name), duration));
    const waitSeconds = wait && percentilesOf(since(before.waits.get(name), wait));
    return {
      reconciles,
      errors,
      reconcileRate: (reconciles - (before.reconciles.get(name) ?? 0)) / seconds,
      errorRate: (errors - (before.errors.get(name) ?? 0)) / seconds,
      ...(reconcileSeconds && { reconcileSeconds }),
      ...(waitSeconds && { waitSeconds }),
    };
  }
}
