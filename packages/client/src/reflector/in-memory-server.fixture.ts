import { ApiError } from '../response/api-error.ts';
import type { Clock } from '../clock/clock.ts';
import { sleep } from '../clock/clock.ts';
import { rejectWhenAborted } from '../clock/until-aborted.ts';
import type { ConfigMap } from '../kinds/builtin.ts';
import type { KubernetesList } from '../kinds/object.ts';
import { objectKeyText } from '../kinds/object.ts';
import { compareResourceVersions } from '../kinds/resource-version.ts';
import { packObjects } from '../packed/pack-objects.ts';
import type { PackedBatch } from '../packed/packed-batch.ts';
import type { WatchEvent } from '../packed/watch-event.ts';
import type { WatchItem } from '../packed/watch-scanner.ts';
import type { ListerWatcher, ListRequest, WatchRequest } from './lister-watcher.ts';
import {
  bookmark,
  configMap,
  initialEventsEnd,
  packedItems,
  ScriptedStream,
} from './scripted-lister-watcher.fixture.ts';

type Stream = ScriptedStream<readonly WatchEvent<ConfigMap>[]>;
type Change = Extract<WatchEvent<ConfigMap>, { type: 'ADDED' | 'MODIFIED' | 'DELETED' }>;

export interface InMemoryServerOptions {
  /** Whether the server supports `sendInitialEvents`. */
  readonly watchList: boolean;
  readonly clock: Clock;
}

/** Latency of a page and of the end of the initial events, in milliseconds. */
const LATENCY = 100;

/** An API server for ConfigMaps that keeps their history, and can compact it and break its streams. For tests. */
export class InMemoryServer implements ListerWatcher {
  readonly #watchList: boolean;
  readonly #clock: Clock;
  readonly #objects = new Map<string, ConfigMap>();
  #history: Change[] = [];
  #version = 1;
  #uids = 0;
  /** Oldest version from which a watch can resume. */
  #oldest = 1;
  /** Remaining objects of a list, by continue token. */
  readonly #pages = new Map<string, { readonly version: string; readonly items: readonly ConfigMap[] }>();
  /** Streams that still receive initial objects. */
  readonly #initial = new Set<Stream>();
  /** Streams that follow changes. */
  readonly #streams = new Set<Stream>();

  constructor({ watchList, clock }: InMemoryServerOptions) {
    this.#watchList = watchList;
    this.#clock = clock;
  }

  /** Objects, sorted by key. */
  get objects(): ConfigMap[] {
    return [...this.#objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  /** Credentials never change. */
  onCredentials(): () => void {
    return () => undefined;
  }

  recovered(signal: AbortSignal): Promise<never> {
    return rejectWhenAborted(signal);
  }

  definitionChanged(_known: string | undefined, signal: AbortSignal): Promise<never> {
    return rejectWhenAborted(signal);
  }

  /** Creates the object, or updates its version. */
  put(name: string): void {
    const key = objectKeyText({ namespace: 'default', name });
    const old = this.#objects.get(key);
    const object = configMap(name, this.#nextVersion(), old?.metadata.uid ?? `uid-${++this.#uids}`);
    this.#objects.set(key, object);
    this.#record({ type: old ? 'MODIFIED' : 'ADDED', object });
  }

  delete(name: string): void {
    const key = objectKeyText({ namespace: 'default', name });
    const old = this.#objects.get(key);
    if (!old) return;
    this.#objects.delete(key);
    this.#record({ type: 'DELETED', object: configMap(name, this.#nextVersion(), old.metadata.uid) });
  }

  bookmark(): void {
    for (const stream of this.#streams) stream.push([bookmark(String(this.#version))]);
  }

  /** Ends every stream cleanly. */
  endStreams(): void {
    for (const stream of this.#takeStreams()) stream.push('end');
  }

  /** Breaks every stream. Unread events are lost. */
  breakStreams(): void {
    for (const stream of this.#takeStreams()) stream.fail(new Error('connection reset'));
  }

  /** Forgets the history and the continue tokens. */
  compact(): void {
    this.#oldest = this.#version;
    this.#history = [];
    this.#pages.clear();
  }

  async *list({
    limit,
    continue: token,
    signal,
  }: ListRequest): AsyncGenerator<PackedBatch, KubernetesList<unknown>['metadata'], undefined> {
    await sleep(this.#clock, LATENCY, signal);
    const begun = token === undefined ? undefined : this.#pages.get(token);
    if (token !== undefined && !begun) throw new ApiError({ code: 410, reason: 'Expired' });
    const { version, items } = begun ?? { version: String(this.#version), items: this.objects };
    // Returns fewer objects than requested, as servers may.
    const size = limit === undefined ? items.length : 2;
    const rest = items.slice(size);
    const next = `${version}/${rest.length}`;
    if (rest.length > 0) this.#pages.set(next, { version, items: rest });
    for (const item of items.slice(0, size)) yield packObjects('listed', [item]);
    return { resourceVersion: version, ...(rest.length > 0 && { continue: next }) };
  }

  async *watch({
    resourceVersion,
    sendInitialEvents,
    signal,
  }: WatchRequest): AsyncGenerator<readonly WatchItem[], void, undefined> {
    const stream: Stream = new ScriptedStream();
    signal.addEventListener('abort', () => stream.fail(signal.reason as Error), { once: true });
    if (sendInitialEvents && !this.#watchList) {
      stream.fail(new ApiError({ code: 422, reason: 'Invalid' }));
    } else if (sendInitialEvents) {
      this.#sendInitialEvents(stream, signal);
    } else {
      this.#resume(stream, resourceVersion ?? '');
    }
    for await (const events of stream.parts()) yield packedItems(events);
  }

  #sendInitialEvents(stream: Stream, signal: AbortSignal): void {
    const version = String(this.#version);
    stream.push(this.objects.map((object) => ({ type: 'ADDED', object })));
    this.#initial.add(stream);
    const end = () => {
      if (!this.#initial.delete(stream)) return;
      stream.push([initialEventsEnd(version)]);
      this.#resume(stream, version);
    };
    sleep(this.#clock, LATENCY, signal).then(end, () => undefined);
  }

  #resume(stream: Stream, version: string): void {
    if (isOlder(version, String(this.#oldest))) {
      stream.fail(new ApiError({ code: 410, reason: 'Expired' }));
      return;
    }
    stream.push(this.#history.filter(({ object }) => isOlder(version, object.metadata.resourceVersion)));
    this.#streams.add(stream);
  }

  #takeStreams(): Stream[] {
    const streams = [...this.#initial, ...this.#streams];
    this.#initial.clear();
    this.#streams.clear();
    return streams;
  }

  #record(change: Change): void {
    this.#history.push(change);
    for (const stream of this.#streams) stream.push([change]);
  }

  #nextVersion(): string {
    return String(++this.#version);
  }
}

function isOlder(a: string, b: string): boolean {
  const order = compareResourceVersions(a, b);
  if (order === undefined) throw new Error(`not a version: ${a}`);
  return order < 0;
}
