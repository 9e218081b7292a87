import type { CallOptions, Clock, DeepReadonly, Lease } from '@mcr/client';
import { ApiError, sleep } from '@mcr/client';
import type { LeaseLockOptions } from './lease-lock.ts';

/** Network conditions between a candidate and the server. */
export interface Way {
  /** Latency of the request and of the response, in milliseconds. */
  readonly latency: { readonly there: number; readonly back: number };
  /** `request`: the request does not arrive. `response`: the request is processed, but its response is lost. */
  readonly lost?: 'request' | 'response';
}

const DIRECT: Way = { latency: { there: 0, back: 0 } };

/** An API server with one Lease, in virtual time. */
export class LeaseServer {
  lease: Lease | undefined;
  /** Number of writes of the lease. */
  writes = 0;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param wayOf called for each request. */
  client(wayOf: () => Way = () => DIRECT): Pick<LeaseLockOptions, 'reader' | 'writer'> {
    const client = {
      find: (_kind: unknown, _key: unknown, call?: CallOptions) => this.#travel(wayOf(), call, () => this.lease),
      create: (_kind: unknown, lease: DeepReadonly<Partial<Lease>>, call?: CallOptions) =>
        this.#travel(wayOf(), call, () => {
          if (this.lease) throw new ApiError({ code: 409, reason: 'AlreadyExists', message: 'the lease exists' });
          return this.#write(lease);
        }),
      patch: (
        _kind: unknown,
        _key: unknown,
        patch: { metadata: { resourceVersion: string }; spec: Lease['spec'] },
        _type: unknown,
        call?: CallOptions,
      ) =>
        this.#travel(wayOf(), call, () => {
          if (!this.lease) throw new ApiError({ code: 404, reason: 'NotFound', message: 'the lease does not exist' });
          if (this.lease.metadata.resourceVersion !== patch.metadata.resourceVersion) {
            throw new ApiError({ code: 409, reason: 'Conflict', message: 'the lease was changed' });
          }
          return this.#write({ ...this.lease, spec: { ...this.lease.spec, ...patch.spec } });
        }),
    };
    // It serves Leases only, and nothing else is requested.
    return { reader: client, writer: client } as unknown as Pick<LeaseLockOptions, 'reader' | 'writer'>;
  }

  /** Changes the lease like a client that is not a candidate. */
  touch(): void {
    if (this.lease) this.#write(this.lease);
  }

  #write(lease: DeepReadonly<Partial<Lease>>): Lease {
    this.writes += 1;
    this.lease = structuredClone({
      ...lease,
      metadata: { ...lease.metadata, resourceVersion: String(this.writes) },
    }) as Lease;
    return this.lease;
  }

  async #travel<T>({ latency, lost }: Way, call: CallOptions | undefined, serve: () => T): Promise<T> {
    const over = new AbortController();
    const onAbort = () => over.abort(call?.signal?.reason);
    call?.signal?.addEventListener('abort', onAbort, { once: true });
    const deadline = this.#clock.schedule(call?.timeout ?? Infinity, () => over.abort(new Error('no answer in time')));
    try {
      await sleep(this.#clock, lost === 'request' ? Infinity : latency.there, over.signal);
      const answer = serve();
      await sleep(this.#clock, lost === 'response' ? Infinity : latency.back, over.signal);
      return answer;
    } finally {
      deadline.cancel();
      call?.signal?.removeEventListener('abort', onAbort);
    }
  }
}
