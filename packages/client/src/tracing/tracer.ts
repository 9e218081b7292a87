/*
 * What is used of `@opentelemetry/api`, by its shape: a tracer of that package is one of these, and who wants no
 * traces need not install it.
 */

/** Makes spans. `trace.getTracer('name')` of `@opentelemetry/api` gives one. */
export interface Tracer {
  /** Calls `fn` with a new span, which is the parent of every span that begins in it. */
  startActiveSpan<F extends (span: Span) => unknown>(name: string, options: SpanOptions, fn: F): ReturnType<F>;
}

export interface SpanOptions {
  readonly kind?: number;
  readonly attributes?: Record<string, string | number>;
}

/** The time that one operation took, and what it came to. */
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

/** Says that the operation of `span` failed, and why. */
export function failSpan(span: Span, error: unknown): void {
  const exception = error instanceof Error ? error : new Error(String(error));
  span.recordException(exception);
  span.setStatus({ code: SPAN_FAILED, message: exception.message });
}
