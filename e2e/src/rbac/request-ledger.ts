import type { Span, SpanOptions, Tracer } from '@mcr/core';
import type { Permission } from './manifest.ts';

/**
 * Records the permissions that requests needed in the hub (`hub: list secrets`) and in members, and whether they were
 * granted.
 */
export class RequestLedger implements Tracer {
  readonly granted = new Set<Permission>();
  readonly forbidden = new Set<Permission>();

  startActiveSpan<F extends (span: Span) => unknown>(name: string, { attributes }: SpanOptions, fn: F): ReturnType<F> {
    const where = attributes?.['k8s.cluster.name'] === '' ? 'hub' : 'member';
    const isForResource = attributes?.['mcr.verb'] !== undefined;
    const answered = (status: string | number) => {
      if (status === 403) this.forbidden.add(`${where}: ${name}`);
      else if (isForResource && (Number(status) < 400 || status === 404)) this.granted.add(`${where}: ${name}`);
    };
    return fn({
      setAttribute: (attribute, value) => attribute === 'http.response.status_code' && answered(value),
      setStatus: () => undefined,
      recordException: () => undefined,
      end: () => undefined,
    }) as ReturnType<F>;
  }
}
