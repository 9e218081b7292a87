/**
 * A health check, which throws on failure. (Upstream: controller-runtime's `healthz.Checker`.)
 *
 * @param signal aborts at the deadline of the check.
 */
export type HealthCheck = (signal: AbortSignal) => void | Promise<void>;
