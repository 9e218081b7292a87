import type { Writable } from 'node:stream';
import { INITIAL_EVENTS_END } from '@mcr/client';
import { CHUNK_SIZE } from '../http/chunks.ts';
import type { Representation } from '../representation/representation.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import type { Selection } from '../selectors/selection.ts';
import { matches } from '../selectors/selection.ts';
import { expired, internalError, StatusError } from '../status.ts';
import type { ClusterStore } from '../storage/cluster-store.ts';
import type { EventLog } from '../storage/event-log.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { Seen } from './seen-event.ts';
import { asSeenBy } from './seen-event.ts';
import { inVersion } from './version-conversion.ts';
import type { WatchOptions } from './watch-options.ts';

export interface WatchRequest {
  readonly type: ResourceType;
  readonly selection: Selection;
  readonly options: WatchOptions;
  readonly representation: Representation;
}

/** Time between the last bookmark and the end of a watch, in milliseconds. */
const LAST_BOOKMARK_LEAD = 2_000;

/** Events whose objects a webhook converts together. */
const BATCH = 100;

/**
 * A watch. It holds no events: it pulls them from the resource's log whenever its client can accept more. A client that
 * reads too slowly falls behind the log and gets 410.
 */
export class Watch {
  readonly #store: ClusterStore;
  readonly #log: EventLog;
  readonly #request: WatchRequest;
  readonly #output: Writable;
  /** Initial objects that have not been sent yet. */
  #initial: Iterator<StoredObject> | undefined;
  /** Position of the next event in the log. */
  #position = 0;
  /** Version up to which the client has received all events. */
  #version: number;
  #blocked = false;
  /** Whether a webhook is converting objects, so that nothing can be sent. */
  #converting = false;
  #scheduled = false;
  #ended = false;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #unsubscribe: () => void;
  #onEnd: () => void = () => undefined;

  /** @param output stream for the lines. Its error or close ends the watch. */
  constructor(clusterStore: ClusterStore, request: WatchRequest, output: Writable) {
    const { type, options, selection } = request;
    const resource = clusterStore.resource(type.storage);
    this.#store = clusterStore;
    this.#log = resource.log;
    this.#request = request;
    this.#output = output;
    this.#version = options.version;
    this.#unsubscribe = this.#log.subscribe(() => this.#schedule());
    output.on('drain', () => {
      this.#blocked = false;
      this.#pump();
    });
    output.on('close', () => this.#finish());
    output.on('error', () => this.#finish());

    if (options.initial) {
      this.#initial = resource.list(selection.namespace)[Symbol.iterator]();
      this.#version = clusterStore.version;
      this.#position = this.#log.end;
    } else if (options.version === 0) {
      // Without initial events, a watch of any version starts now.
      this.#version = clusterStore.version;
      this.#position = this.#log.positionAfter(clusterStore.version);
    } else if (options.version < clusterStore.watchableFrom(type.storage)) {
      this.#cutOff();
      return;
    } else {
      this.#position = this.#log.positionAfter(options.version);
    }
    if (options.timeout === 0) {
      this.#initial = undefined;
      this.#finish();
      return;
    }
    this.#startTimers();
    this.#pump();
  }

  /** Storage name of the watched resource. */
  get storage(): string {
    return this.#request.type.storage;
  }

  /** Calls `listener` when the watch has ended. */
  onEnd(listener: () => void): void {
    if (this.#ended) listener();
    else this.#onEnd = listener;
  }

  /** Sends all events so far and ends the response. */
  end(): void {
    this.#pump();
    this.#finish();
  }

  #finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#unsubscribe();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#output.end();
    this.#onEnd();
  }

  #startTimers(): void {
    const { timeout, bookmarkInterval } = this.#request.options;
    this.#timers.push(setTimeout(() => this.end(), timeout));
    if (bookmarkInterval === undefined) return;
    this.#timers.push(setInterval(() => this.#bookmark(), bookmarkInterval));
    if (timeout > LAST_BOOKMARK_LEAD) {
      this.#timers.push(setTimeout(() => this.#bookmark(), timeout - LAST_BOOKMARK_LEAD));
    }
  }

  /** Batches the events of one turn. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#pump();
    });
  }

  /** Sends available events until the client applies back pressure. */
  #pump(): void {
    if (this.#request.type.conversion) {
      this.#pumpConverted();
      return;
    }
    while (!this.#blocked && !this.#ended) {
      const lines = this.#take();
      if (!lines) return;
      this.#blocked = !this.#output.write(lines);
    }
  }

  /** Like {@link #pump}, for objects that a webhook converts, in batches. */
  #pumpConverted(): void {
    if (this.#blocked || this.#ended || this.#converting) return;
    const events: Seen[] = [];
    const { representation, type } = this.#request;
    let bookmark: Buffer | undefined;
    while (events.length < BATCH && bookmark === undefined) {
      const next = this.#nextInitialSeen() ?? this.#nextSeen();
      if (!next) break;
      if (Buffer.isBuffer(next)) bookmark = next;
      else events.push(next);
    }
    if (events.length === 0 && bookmark === undefined) return;
    this.#converting = true;
    const send = (objects: readonly StoredObject[]): void => {
      this.#converting = false;
      if (this.#ended) return;
      const lines = objects.flatMap((object, index) => representation.event(events[index]?.type ?? 'ADDED', object));
      this.#blocked = !this.#output.write(Buffer.concat(bookmark ? [...lines, bookmark] : lines));
      this.#pumpConverted();
    };
    const objects = events.map(({ object }) => object);
    Promise.resolve(inVersion(type, objects)).then(send, (error: unknown) => this.#fail(error));
  }

  #fail(error: unknown): void {
    if (this.#ended) return;
    const status = (error instanceof StatusError ? error : internalError(error)).toStatus();
    this.#output.write(this.#request.representation.error(status));
    this.#finish();
  }

  /** Returns the next lines, about one chunk; `undefined` if there are none. */
  #take(): Buffer | undefined {
    const parts: Buffer[] = [];
    let size = 0;
    while (size < CHUNK_SIZE) {
      const line = this.#nextInitial() ?? this.#nextEvent();
      if (!line) break;
      for (const part of line) {
        parts.push(part);
        size += part.length;
      }
    }
    return size === 0 ? undefined : Buffer.concat(parts, size);
  }

  #nextInitial(): readonly Buffer[] | undefined {
    const next = this.#nextInitialSeen();
    if (next === undefined) return undefined;
    return Buffer.isBuffer(next) ? [next] : this.#request.representation.event(next.type, next.object);
  }

  #nextEvent(): readonly Buffer[] | undefined {
    const seen = this.#nextSeen();
    return seen && this.#request.representation.event(seen.type, seen.object);
  }

  /** Returns the next initial object, or the bookmark after the last one. */
  #nextInitialSeen(): Seen | Buffer | undefined {
    const { representation, selection, options } = this.#request;
    while (this.#initial) {
      const next = this.#initial.next();
      if (!next.done) {
        if (matches(selection, next.value)) return { type: 'ADDED', object: next.value };
        continue;
      }
      this.#initial = undefined;
      if (options.initialEventsEnd) return representation.bookmark(this.#version, { [INITIAL_EVENTS_END]: 'true' });
    }
    return undefined;
  }

  #nextSeen(): Seen | undefined {
    if (this.#ended) return undefined;
    if (!this.#log.holds(this.#position)) {
      this.#cutOff();
      return undefined;
    }
    for (let event = this.#log.at(this.#position); event; event = this.#log.at(this.#position)) {
      this.#position += 1;
      this.#version = event.object.version;
      const seen = asSeenBy(this.#request, event);
      if (seen) return seen;
    }
    return undefined;
  }

  #bookmark(): void {
    // A write may have ended in this turn, before its events were sent.
    this.#pump();
    if (this.#blocked || this.#ended || this.#initial || this.#converting) return;
    this.#output.write(this.#request.representation.bookmark(this.#store.version));
  }

  #cutOff(): void {
    const error = expired(`too old resource version: ${this.#version} (${this.#store.watchableFrom(this.storage)})`);
    this.#output.write(this.#request.representation.error(error.toStatus()));
    this.#finish();
  }
}
