import { Event } from '../kinds/builtin.ts';
import type { DeepReadonly, Draft, KubernetesObject, ObjectKey } from '../kinds/object.ts';
import type { EventDetails } from './event-recorder.ts';
import { MAX_MESSAGE_BYTES, shortened } from '../text/shortened.ts';

/** Who records events. */
export interface Reporter {
  /** The component, for example `cart-controller`. */
  readonly controller: string;
  /** The component in this process. */
  readonly instance: string;
}

/** When something was observed. */
export interface Moment {
  /** On the clock's monotonic scale, in milliseconds. */
  readonly at: number;
  /** Milliseconds since the Unix epoch. */
  readonly wallTime: number;
}

/** How the API server is told what it does not know yet of a series. */
export type SeriesWrite =
  | { readonly type: 'create'; readonly count: number; readonly event: Draft<Event> }
  | { readonly type: 'patch'; readonly count: number; readonly key: Required<ObjectKey>; readonly patch: object };

/** The longest name, in characters. */
const NAME_LIMIT = 253;

/** Events with one key are one event that happens again. The note may differ; that of the first is kept. */
export function seriesKey(
  reporter: Reporter,
  regarding: DeepReadonly<KubernetesObject>,
  { type, reason, action = reason, related }: EventDetails,
): string {
  const parts = [
    reporter.controller,
    type,
    reason,
    action,
    ...identity(regarding),
    ...(related ? identity(related) : []),
  ];
  return JSON.stringify(parts);
}

/** One event, and how often it has happened. (Upstream: client-go `tools/events`, KEP-383.) */
export class EventSeries {
  readonly key: string;
  readonly #first: Draft<Event>;
  #last: Moment;
  #count = 1;
  /** How many times of these the API server knows of. */
  #recorded = 0;

  /** @param sequence tells events apart that are about one object in one millisecond. */
  constructor(
    key: string,
    options: {
      readonly reporter: Reporter;
      readonly regarding: DeepReadonly<KubernetesObject>;
      readonly details: EventDetails;
      readonly moment: Moment;
      readonly sequence: number;
    },
  ) {
    this.key = key;
    this.#first = firstEvent(options);
    this.#last = options.moment;
  }

  get lastObserved(): number {
    return this.#last.at;
  }

  /** Whether it happened more often than the API server knows. */
  get unrecorded(): boolean {
    return this.#count > this.#recorded;
  }

  /** Whether it is worth a request now: the event, and that it has become a series. How that grows can wait. */
  get urgent(): boolean {
    return this.unrecorded && this.#recorded < 2;
  }

  observe(moment: Moment): void {
    this.#count += 1;
    this.#last = moment;
  }

  nextWrite(): SeriesWrite {
    const count = this.#count;
    const series = { count, lastObservedTime: microTime(this.#last.wallTime) };
    if (this.#recorded === 0) {
      return { type: 'create', count, event: count === 1 ? this.#first : { ...this.#first, series } };
    }
    const { namespace = '', name = '' } = this.#first.metadata;
    return { type: 'patch', count, key: { namespace, name }, patch: { series } };
  }

  /** The API server has been told so. */
  written({ count }: SeriesWrite): void {
    this.#recorded = count;
  }

  /** The API server has deleted the event, as it does after an hour. */
  expired(): void {
    this.#recorded = 0;
  }
}

function firstEvent({
  reporter,
  regarding,
  details,
  moment,
  sequence,
}: ConstructorParameters<typeof EventSeries>[1]): Draft<Event> {
  const { type, reason, note, action = reason, related } = details;
  // As upstream, the time in nanoseconds; a clock that counts milliseconds leaves room for the sequence.
  const suffix = (BigInt(Math.floor(moment.wallTime)) * 1_000_000n + BigInt(sequence % 1_000_000)).toString(16);
  return {
    apiVersion: Event.apiVersion,
    kind: Event.kind,
    metadata: {
      namespace: regarding.metadata.namespace || 'default',
      name: `${regarding.metadata.name.slice(0, NAME_LIMIT - suffix.length - 1)}.${suffix}`,
    },
    eventTime: microTime(moment.wallTime),
    reportingController: reporter.controller,
    reportingInstance: reporter.instance,
    type,
    reason,
    action,
    // API servers accept no longer notes (upstream: `pkg/apis/events/validation`).
    note: shortened(note, MAX_MESSAGE_BYTES),
    regarding: reference(regarding),
    ...(related && { related: reference(related) }),
  };
}

function reference({ apiVersion, kind, metadata }: DeepReadonly<KubernetesObject>) {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion, kind, ...(namespace && { namespace }), name, uid, resourceVersion };
}

/** Not the version: an object may change while the same happens to it again. */
function identity({ apiVersion, kind, metadata }: DeepReadonly<KubernetesObject>): string[] {
  return [apiVersion, kind, metadata.namespace ?? '', metadata.name, metadata.uid];
}

/** RFC 3339 with the six digits that the API's `MicroTime` must have. */
function microTime(wallTime: number): string {
  return new Date(wallTime).toISOString().replace('Z', '000Z');
}
