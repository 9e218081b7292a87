import type { ConfigMap } from '../kinds/builtin.ts';
import type { KubernetesList } from '../kinds/object.ts';
import type { Recovered } from '../health/recovery-probe.ts';
import type { WatchEvent } from '../packed/watch-event.ts';
import { INITIAL_EVENTS_END } from '../packed/watch-event.ts';
import { orAborted } from '../clock/or-aborted.ts';
import type { ListerWatcher, ListRequest, WatchRequest } from './lister-watcher.ts';

export interface ListExchange {
  readonly type: 'list';
  readonly request: ListRequest;
  reply(version: string, items: readonly ConfigMap[], token?: string): void;
  fail(error: Error): void;
}

export interface WatchExchange {
  readonly type: 'watch';
  readonly request: WatchRequest;
  send(...events: WatchEvent<ConfigMap>[]): void;
  end(): void;
  fail(error: Error): void;
}

/** An API server whose responses are given by the test. Each request becomes an exchange. */
export class ScriptedListerWatcher implements ListerWatcher<ConfigMap> {
  readonly #exchanges: (ListExchange | WatchExchange)[] = [];
  readonly #onCredentials = new Set<() => void>();
  readonly #waiting: ((exchange: ListExchange | WatchExchange) => void)[] = [];

  /** Returns the next request, in the order of arrival. */
  next(): Promise<ListExchange | WatchExchange> {
    const exchange = this.#exchanges.shift();
    if (exchange) return Promise.resolve(exchange);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async nextList(): Promise<ListExchange> {
    const exchange = await this.next();
    if (exchange.type !== 'list') throw new Error('expected a list, got a watch');
    return exchange;
  }

  async nextWatch(): Promise<WatchExchange> {
    const exchange = await this.next();
    if (exchange.type !== 'watch') throw new Error('expected a watch, got a list');
    return exchange;
  }

  /** Reports changed credentials. */
  renewCredentials(): void {
    for (const listener of this.#onCredentials) listener();
  }

  onCredentials(listener: () => void): () => void {
    this.#onCredentials.add(listener);
    return () => this.#onCredentials.delete(listener);
  }

  readonly #recovery = new Set<(recovered: Recovered) => void>();
  readonly #definition = new Set<(version: string) => void>();

  /** Notifies callers that wait for the server's recovery. */
  recover(outage = 1_000): void {
    for (const resolve of this.#recovery) resolve({ outage });
  }

  /** Reports the kind's definition with a version. */
  define(version: string): void {
    for (const resolve of this.#definition) resolve(version);
  }

  /** The awaited events. */
  get awaited(): string[] {
    const [credentials, recovery, definition] = [this.#onCredentials, this.#recovery, this.#definition];
    return Object.entries({ credentials, recovery, definition }).flatMap(([name, { size }]) =>
      size > 0 ? [name] : [],
    );
  }

  recovered(signal: AbortSignal): Promise<Recovered> {
    return oneOf(this.#recovery, signal);
  }

  definitionChanged(_known: string | undefined, signal: AbortSignal): Promise<string> {
    return oneOf(this.#definition, signal);
  }

  /** Number of requests that the test has not taken. */
  get untaken(): number {
    return this.#exchanges.length;
  }

  list(request: ListRequest): Promise<KubernetesList<ConfigMap>> {
    return new Promise((resolve, reject) => {
      request.signal.addEventListener('abort', () => reject(request.signal.reason as Error), { once: true });
      this.#add({
        type: 'list',
        request,
        reply: (resourceVersion, items, token) =>
          resolve({
            metadata: { resourceVersion, ...(token !== undefined && { continue: token }) },
            items: [...items],
          }),
        fail: reject,
      });
    });
  }

  watch(request: WatchRequest): AsyncIterable<readonly WatchEvent<ConfigMap>[]> {
    const stream = new ScriptedStream();
    request.signal.addEventListener('abort', () => stream.fail(request.signal.reason as Error), { once: true });
    this.#add({
      type: 'watch',
      request,
      send: (...events) => stream.push(events),
      end: () => stream.push('end'),
      fail: (error) => stream.fail(error),
    });
    return stream.batches();
  }

  #add(exchange: ListExchange | WatchExchange): void {
    const waiter = this.#waiting.shift();
    if (waiter) waiter(exchange);
    else this.#exchanges.push(exchange);
  }
}

async function oneOf<V>(listeners: Set<(value: V) => void>, signal: AbortSignal): Promise<V> {
  const value = Promise.withResolvers<V>();
  listeners.add(value.resolve);
  try {
    return await orAborted(value.promise, signal);
  } finally {
    listeners.delete(value.resolve);
  }
}

/** A watch stream that the test fills. */
export class ScriptedStream {
  readonly #batches: (readonly WatchEvent<ConfigMap>[] | 'end')[] = [];
  #failure: Error | undefined;
  #arrival = Promise.withResolvers<void>();

  push(batch: readonly WatchEvent<ConfigMap>[] | 'end'): void {
    this.#batches.push(batch);
    this.#arrival.resolve();
  }

  /** Fails at once: unread events are lost, as when a connection breaks. */
  fail(error: Error): void {
    this.#failure = error;
    this.#arrival.resolve();
  }

  async *batches(): AsyncGenerator<readonly WatchEvent<ConfigMap>[], void, undefined> {
    for (;;) {
      if (this.#failure) throw this.#failure;
      const batch = this.#batches.shift();
      if (batch === 'end') return;
      if (batch) {
        yield batch;
      } else {
        this.#arrival = Promise.withResolvers();
        await this.#arrival.promise;
      }
    }
  }
}

export function configMap(name: string, version: string, uid = `uid-${name}`, namespace = 'default'): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, uid, resourceVersion: version, creationTimestamp: '2026-01-01T00:00:00Z' },
  };
}

export function added(object: ConfigMap): WatchEvent<ConfigMap> {
  return { type: 'ADDED', object };
}

export function modified(object: ConfigMap): WatchEvent<ConfigMap> {
  return { type: 'MODIFIED', object };
}

export function deleted(object: ConfigMap): WatchEvent<ConfigMap> {
  return { type: 'DELETED', object };
}

export function bookmark(resourceVersion: string): WatchEvent<ConfigMap> {
  return { type: 'BOOKMARK', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { resourceVersion } } };
}

/** Returns the bookmark that ends the initial events. */
export function initialEventsEnd(resourceVersion: string): WatchEvent<ConfigMap> {
  const metadata = { resourceVersion, annotations: { [INITIAL_EVENTS_END]: 'true' } };
  return { type: 'BOOKMARK', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata } };
}

export function errorEvent(code: number, reason: string): WatchEvent<ConfigMap> {
  return { type: 'ERROR', object: { kind: 'Status', status: 'Failure', code, reason, message: reason } };
}
