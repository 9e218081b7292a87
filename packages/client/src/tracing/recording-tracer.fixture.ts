import type { Span, SpanOptions, Tracer } from './tracer.ts';

export interface RecordedSpan {
  readonly name: string;
  readonly kind: number | undefined;
  readonly attributes: Record<string, string | number>;
  readonly exceptions: Error[];
  status: { readonly code: number; readonly message?: string } | undefined;
  /** Number of calls of `end`. */
  ended: number;
}

/** Records spans for tests. */
export class RecordingTracer implements Tracer {
  readonly spans: RecordedSpan[] = [];

  startActiveSpan<F extends (span: Span) => unknown>(name: string, options: SpanOptions, fn: F): ReturnType<F> {
    const { kind, attributes } = options;
    const span: RecordedSpan = {
      name,
      kind,
      attributes: { ...attributes },
      exceptions: [],
      status: undefined,
      ended: 0,
    };
    this.spans.push(span);
    return fn({
      setAttribute: (key, value) => void (span.attributes[key] = value),
      setStatus: (status) => void (span.status = status),
      recordException: (error) => void span.exceptions.push(error),
      end: () => void (span.ended += 1),
    }) as ReturnType<F>;
  }
}
