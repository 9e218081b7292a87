import { EventsV1Event } from '../kinds/builtin.ts';
import type { DeepReadonly, Draft, KubernetesObject, ObjectKey } from '../kinds/object.ts';
import type { EventDetails } from './event-recorder.ts';
import { MAX_MESSAGE_BYTES, shortened } from '../text/shortened.ts';

/** The component that events are reported as. */
export interface Reporter {
  /** Name of the component, for example `cart-controller`. */
  readonly controller: string;
  /** Name of the component in this process. */
  readonly instance: string;
}

/** A point in time. */
export interface Moment {
  /** Monotonic instant of the clock, in milliseconds. */
  readonly at: number;
  /** Milliseconds since the Unix epoch. */
  readonly wallTime: number;
}

/** The request that updates a series on the API server. */
export type SeriesWrite =
  | { readonly type: 'create'; readonly count: number; readonly event: Draft<EventsV1Event> }
  | { readonly type: 'patch'; readonly count: number; readonly key: Required<ObjectKey>; readonly patch: object };

/** Maximum length of a name, in characters. */
const NAME_LIMIT = 253;

/** Returns the key of an event. Events with the same key form a series; the series keeps the note of the first one. */
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

/** One event and the number of its repetitions. (Upstream: client-go `tools/events`, KEP-383.) */
export class EventSeries {
  readonly key: string;
  readonly #first: Draft<EventsV1Event>;
  #last: Moment;
  #count = 1;
  /** The count that the API server has. */
  #recorded = 0;

  /** @param sequence distinguishes events about one object within one millisecond. */
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

  /** Whether the count is higher than the API server's. */
  get unrecorded(): boolean {
    return this.#count > this.#recorded;
  }

  /** Whether to write now: when the event is new, or has become a series. Later counts can wait. */
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

  /** Records a successful write. */
  written({ count }: SeriesWrite): void {
    this.#recorded = count;
  }

  /** Records that the API server has deleted the event, as it does after an hour. */
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
}: ConstructorParameters<typeof EventSeries>[1]): Draft<EventsV1Event> {
  const { type, reason, note, action = reason, related } = details;
  // The time in nanoseconds, as upstream. The clock counts milliseconds, which leaves room for the sequence.
  const suffix = (BigInt(Math.floor(moment.wallTime)) * 1_000_000n + BigInt(sequence % 1_000_000)).toString(16);
  return {
    apiVersion: EventsV1Event.apiVersion,
    kind: EventsV1Event.kind,
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
    // The API server's limit on notes (upstream: `pkg/apis/events/validation`).
    note: shortened(note, MAX_MESSAGE_BYTES),
    regarding: reference(regarding),
    ...(related && { related: reference(related) }),
  };
}

function reference({ apiVersion, kind, metadata }: DeepReadonly<KubernetesObject>) {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion, kind, ...(namespace && { namespace }), name, uid, resourceVersion };
}

/** Returns the identity of an object. Excludes its version, because an object can change while an event repeats. */
function identity({ apiVersion, kind, metadata }: DeepReadonly<KubernetesObject>): string[] {
  return [apiVersion, kind, metadata.namespace ?? '', metadata.name, metadata.uid];
}

/** Returns an RFC 3339 time with six fractional digits, as the API's `MicroTime` requires. */
function microTime(wallTime: number): string {
  return new Date(wallTime).toISOString().replace('Z', '000Z');
}
