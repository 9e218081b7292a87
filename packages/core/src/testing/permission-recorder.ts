import type { Span, SpanOptions, Tracer } from '@mcr/client';
import { LOCAL_CLUSTER } from '../fleet/multicluster/cluster-name.ts';
import type { Manager } from '../manager/manager.ts';
import type { PermissionReport, PermissionReportOptions, RequiredAccess } from './permission-report.ts';
import { comparePermissions, isGrantedToAll } from './permission-report.ts';

/** An access to an API server, and how it was answered. */
export interface RecordedAccess extends RequiredAccess {
  /** Number of requests that succeeded, or failed with status 404 or 409. Other failures say nothing about permissions. */
  readonly granted: number;
  /** Number of requests that failed with status 403. */
  readonly forbidden: number;
}

interface Entry extends RequiredAccess {
  granted: number;
  forbidden: number;
}

/** Maximum number of different accesses. */
const LIMIT = 100_000;

/**
 * Records which permissions the requests of a program need, and compares them with those that it declares. Pass it as the
 * option `tracer` to `createManager`, and to each client that the program creates itself. The clients of the test have none,
 * so that they are not recorded.
 *
 * A request is recorded when it is sent, whatever the answer is. What every account may do by default is not recorded:
 * discovery, `/version`, health checks, and reviews of the account's own access.
 *
 * @example
 * const recorder = new PermissionRecorder();
 * const manager = await createManager({ config, tracer: recorder });
 * // … run the manager, and wait for what it does …
 * assert.deepEqual(recorder.report(manager).missing, []);
 */
export class PermissionRecorder implements Tracer {
  readonly #accesses = new Map<string, Entry>();
  #isFull = false;

  /** The different accesses, in the order of their first request. There are at most 100,000 of them. */
  get accesses(): readonly RecordedAccess[] {
    return [...this.#accesses.values()];
  }

  /**
   * Compares the recorded accesses with the permissions that the parts of a program declare.
   *
   * @param manager the manager that the recorder traces; only its `permissions` are read.
   * @throws {TypeError} if a declared kind has no `plural`.
   * @throws {Error} if there were more than 100,000 different accesses.
   */
  report(manager: Pick<Manager, 'permissions'>, options: PermissionReportOptions = {}): PermissionReport {
    if (this.#isFull) {
      throw new Error(`PermissionRecorder: more than ${LIMIT} different accesses: use one recorder for each test`);
    }
    return comparePermissions(manager.permissions.list(), this.accesses, options);
  }

  startActiveSpan<F extends (span: Span) => unknown>(_: string, { attributes }: SpanOptions, fn: F): ReturnType<F> {
    const access = accessOf(attributes);
    const entry = access && this.#entryOf(access);
    const setAttribute = (name: string, value: string | number): void => {
      if (entry && name === 'http.response.status_code') this.#answered(entry, Number(value));
    };
    const idle = () => undefined;
    return fn({ setAttribute, setStatus: idle, recordException: idle, end: idle }) as ReturnType<F>;
  }

  #answered(entry: Entry, status: number): void {
    if (status === 403) entry.forbidden += 1;
    else if (status < 400 || status === 404 || status === 409) entry.granted += 1;
    if (status !== 201 || (entry.verb !== 'patch' && entry.verb !== 'update')) return;
    // An API server also checks the permission to create for an apply or update that creates the object.
    const creation = this.#entryOf({ ...entry, verb: 'create' });
    if (creation) creation.granted += 1;
  }

  /** Returns the entry of an access, or `undefined` if it needs none. */
  #entryOf(access: RequiredAccess): Entry | undefined {
    if (isGrantedToAll(access)) return undefined;
    const { in: origin, verb, resource, namespace, name } = access;
    const key = JSON.stringify([origin, verb, resource, namespace, name]);
    const known = this.#accesses.get(key);
    if (known) return known;
    if (this.#accesses.size === LIMIT) {
      this.#isFull = true;
      return undefined;
    }
    const entry: Entry = { ...access, granted: 0, forbidden: 0 };
    this.#accesses.set(key, entry);
    return entry;
  }
}

/** Returns the access of a request, or `undefined` for other spans, such as those of reconciles. */
function accessOf(attributes: SpanOptions['attributes'] = {}): RequiredAccess | undefined {
  const text = (name: string): string | undefined => attributes[name]?.toString();
  const method = text('http.request.method');
  const resource = text('mcr.resource') ?? text('url.path');
  if (method === undefined || resource === undefined) return undefined;
  const [namespace, name] = [text('k8s.namespace.name'), text('k8s.object.name')];
  return {
    in: (text('k8s.cluster.name') ?? LOCAL_CLUSTER) === LOCAL_CLUSTER ? 'local' : 'members',
    // The verb of a URL without a resource is its method.
    verb: text('mcr.verb') ?? method.toLowerCase(),
    resource,
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
  };
}
