const NUMBER = Symbol('number of the event');
let count = 0;

/**
 * Base class of events whose state is private. Each event has a number, so that a deep comparison, such as one of an
 * assertion, does not take two events for equal. The number costs less than a field of the object, which would have to
 * be decoded.
 */
export abstract class DistinctEvent {
  readonly [NUMBER] = (count += 1);
}
