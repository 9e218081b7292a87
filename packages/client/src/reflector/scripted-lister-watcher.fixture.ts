import type { ConfigMap } from '../kinds/builtin.ts';
import type { KubernetesList } from '../kinds/object.ts';
import { packObjects } from '../packed/pack-objects.ts';
import type { PackedBatch } from '../packed/packed-batch.ts';
import type { Recovered } from '../health/recovery-probe.ts';
import type { WatchEvent } from '../packed/watch-event.ts';
import type { WatchItem } from '../packed/watch-scanner.ts';
import { INITIAL_EVENTS_END } from '../packed/watch-event.ts';
import { orAborted } from '../clock/or-aborted.ts';
import type { ListerWatcher, ListRequest, WatchRequest } from './lister-watcher.ts';

export interface ListExchange {
  readonly type: 'list';
  readonly request: ListRequest;
  /** Sends the first objects of the page. */
  send(...items: ConfigMap[]): void;
  /** Sends the last objects of the page and ends it. */
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
export class ScriptedListerWatcher implements ListerWatcher {
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

  async *list(request: ListRequest): AsyncGenerator<PackedBatch, ListMetadata, undefined> {
    const stream = new ScriptedStream<readonly ConfigMap[] | ListMetadata>();
    request.signal.addEventListener('abort', () => stream.fail(request.signal.reason as Error), { once: true });
    this.#add({
      type: 'list',
      request,
      send: (...items) => stream.push(items),
      reply: (resourceVersion, items, token) => {
        if (items.length > 0) stream.push(items);
        stream.push({ resourceVersion, ...(token !== undefined && { continue: token }) });
      },
      fail: (error) => stream.fail(error),
    });
    for await (const part of stream.parts()) {
      if ('resourceVersion' in part) return part;
      yield packObjects('listed', part);
    }
    throw new Error('the list has no end');
  }

  async *watch(request: WatchRequest): AsyncGenerator<readonly WatchItem[], void, undefined> {
    const stream = new ScriptedStream<readonly WatchEvent<ConfigMap>[]>();
    request.signal.addEventListener('abort', () => stream.fail(request.signal.reason as Error), { once: true });
    this.#add({
      type: 'watch',
      request,
      send: (...events) => stream.push(events),
      end: () => stream.push('end'),
      fail: (error) => stream.fail(error),
    });
    for await (const events of stream.parts()) yield packedItems(events);
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

type ListMetadata = KubernetesList<unknown>['metadata'];

/** Packs events as the client does. Neighbours of one type are one batch. */
export function packedItems(events: readonly WatchEvent<ConfigMap>[]): WatchItem[] {
  const items: WatchItem[] = [];
  let run: ConfigMap[] = [];
  for (const [index, event] of events.entries()) {
    if (event.type === 'BOOKMARK' || event.type === 'ERROR') {
      items.push(event);
      continue;
    }
    run.push(event.object);
    if (events[index + 1]?.type === event.type) continue;
    items.push({ type: 'objects', batch: packObjects(event.type, run) });
    run = [];
  }
  return items;
}

/** A stream that the test fills. */
export class ScriptedStream<Part extends object> {
  readonly #parts: (Part | 'end')[] = [];
  #failure: Error | undefined;
  #arrival = Promise.withResolvers<void>();

  push(part: Part | 'end'): void {
    this.#parts.push(part);
    this.#arrival.resolve();
  }

  /** Fails at once: unread parts are lost, as when a connection breaks. */
  fail(error: Error): void {
    this.#failure = error;
    this.#arrival.resolve();
  }

  async *parts(): AsyncGenerator<Part, void, undefined> {
    for (;;) {
      if (this.#failure) throw this.#failure;
      const part = this.#parts.shift();
      if (part === 'end') return;
      if (part) {
        yield part;
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
