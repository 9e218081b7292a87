import type { ControllerMetrics } from './controller-metrics.ts';

/** Where the parts of a manager count what they do. */
export interface Metrics {
  /** Of the controller of that name. */
  controller(name: string): ControllerMetrics;
}
