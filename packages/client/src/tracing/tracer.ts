/*
 * The part of `@opentelemetry/api` that mcr uses, as structural types. A tracer of that package satisfies them, and the
 * package need not be installed for programs without traces.
 */

/** Creates spans. `trace.getTracer('name')` of `@opentelemetry/api` returns a tracer. */
export interface Tracer {
  /** Calls `fn` with a new span, which is the parent of every span that starts in `fn`. */
  startActiveSpan<F extends (span: Span) => unknown>(name: string, options: SpanOptions, fn: F): ReturnType<F>;
}

/** Options of {@link Tracer.startActiveSpan}. */
export interface SpanOptions {
  readonly kind?: number;
  readonly attributes?: Record<string, string | number>;
}

/** The duration and the result of one operation. */
export interface Span {
  setAttribute(name: string, value: string | number): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  recordException(error: Error): void;
  end(): void;
}

/** `SpanKind.CLIENT` of `@opentelemetry/api`. */
export const CLIENT_SPAN = 2;

/** `SpanStatusCode.ERROR` of `@opentelemetry/api`. */
export const SPAN_FAILED = 2;

/** Records on `span` that its operation failed, and why. */
export function failSpan(span: Span, error: unknown): void {
  const exception = error instanceof Error ? error : new Error(String(error));
  span.recordException(exception);
  span.setStatus({ code: SPAN_FAILED, message: exception.message });
}
