import type { Span, SpanOptions, Tracer } from '@mcr/core';
import type { Permission } from './manifest.ts';

/**
 * Records the permissions that requests needed in the hub (`hub: list secrets`) and in members, and whether they were
 * granted.
 */
export class RequestLedger implements Tracer {
  readonly forbidden = new Set<Permission>();
  readonly #granted = new Map<Permission, number>();

  get granted(): ReadonlySet<Permission> {
    return new Set(this.#granted.keys());
  }

  /** Number of granted requests that needed this permission. */
  timesGranted(permission: Permission): number {
    return this.#granted.get(permission) ?? 0;
  }

  startActiveSpan<F extends (span: Span) => unknown>(name: string, { attributes }: SpanOptions, fn: F): ReturnType<F> {
    const where = attributes?.['k8s.cluster.name'] === '' ? 'hub' : 'member';
    const isForResource = attributes?.['mcr.verb'] !== undefined;
    const answered = (status: string | number) => {
      const permission: Permission = `${where}: ${name}`;
      if (status === 403) this.forbidden.add(permission);
      else if (isForResource && (Number(status) < 400 || status === 404 || status === 409)) {
        this.#granted.set(permission, this.timesGranted(permission) + 1);
        // An API server checks the permission to create for an apply that creates an object.
        const creation: Permission = `${where}: ${name.replace(/^patch /, 'create ')}`;
        if (Number(status) === 201 && creation !== permission)
          this.#granted.set(creation, this.timesGranted(creation) + 1);
      }
    };
    return fn({
      setAttribute: (attribute, value) => attribute === 'http.response.status_code' && answered(value),
      setStatus: () => undefined,
      recordException: () => undefined,
      end: () => undefined,
    }) as ReturnType<F>;
  }
}
