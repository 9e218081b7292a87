import type { Clock } from '@mcr/client';

/** Applies of one object without a delay, while its inputs stay the same. */
const FREE_APPLIES = 5;

/** Delay after these, in milliseconds. It doubles with each further apply. */
const FIRST_DELAY = 1_000;

/** Maximum delay, in milliseconds. */
const MAX_DELAY = 300_000;

/** Time without an apply, after the delay, that starts the count again, in milliseconds. */
const QUIET_TIME = 60_000;

/** An apply of one object. */
export interface PacedApply {
  readonly configuration: unknown;
  /** Returns the field that others have changed since the last apply, or `undefined` if they have deleted the object. */
  readonly drift: () => string | undefined;
}

/** Limits the applies of objects in one reconcile. The objects are texts of `placedKey`. */
export interface Pacing {
  mayApply(object: string): boolean;
  applied(object: string, apply: PacedApply): void;
}

/** An object that is applied too often. */
export interface SlowedObject {
  readonly object: string;
  /** Number of applies with the same inputs. */
  readonly applies: number;
  /** Time until the next apply, in milliseconds. */
  readonly delay: number;
  /** Cause of the applies, and what to do. */
  readonly message: string;
}

interface Applies {
  readonly inputs: string;
  readonly count: number;
  /** Instant before which the object is not applied, in milliseconds. */
  readonly notBefore: number;
  /** Configuration of the last apply, from the second one on, because most objects are applied once. */
  readonly configuration?: unknown;
  readonly message?: string;
}

/**
 * Slows the applies of objects that do not settle: the function `objects` returns another object each time, or another client
 * changes the same fields. Otherwise, each apply would cause an event, and each event an apply.
 */
export class ApplyPace {
  readonly #objects = new Map<string, Applies>();

  /**
   * Limits the applies of a reconcile.
   *
   * @param options.inputs returns a digest of what the desired objects may depend on. While it is the same, applies are counted.
   * @param options.onSlowed called if the next apply of an object is delayed.
   */
  of({
    clock,
    inputs,
    onSlowed,
  }: {
    readonly clock: Clock;
    readonly inputs: () => string;
    readonly onSlowed: (slowed: SlowedObject) => void;
  }): Pacing {
    let digest: string | undefined;
    const current = () => (digest ??= inputs());
    return {
      mayApply: (object) => {
        const applies = this.#objects.get(object);
        return applies === undefined || clock.now() >= applies.notBefore || applies.inputs !== current();
      },
      applied: (object, apply) => {
        const slowed = this.#applied(object, { ...apply, inputs: current() }, clock.now());
        if (slowed) onSlowed(slowed);
      },
    };
  }

  #applied(
    object: string,
    { inputs, configuration, drift }: PacedApply & { readonly inputs: string },
    now: number,
  ): SlowedObject | undefined {
    const before = this.#objects.get(object);
    const isRepeated = before?.inputs === inputs && now < before.notBefore + QUIET_TIME;
    if (!isRepeated) {
      this.#objects.set(object, { inputs, count: 1, notBefore: now });
      return undefined;
    }
    const count = before.count + 1;
    const excess = count - FREE_APPLIES;
    if (excess < 0) {
      this.#objects.set(object, { inputs, count, notBefore: now, configuration });
      return undefined;
    }
    const field = differentField(before.configuration, configuration);
    const message = `${object} is applied repeatedly: ${field === undefined ? causeOf(drift()) : unsteady(field)}`;
    const delay = Math.min(FIRST_DELAY * 2 ** Math.min(excess, 30), MAX_DELAY);
    this.#objects.set(object, { inputs, count, notBefore: now + delay, configuration, message });
    return { object, applies: count, delay, message };
  }

  /** Returns the objects whose next apply is delayed, the one with the shortest delay first. */
  slowed(now: number): SlowedObject[] {
    return [...this.#objects]
      .flatMap(([object, { count, notBefore, message }]) =>
        message !== undefined && now < notBefore ? [{ object, applies: count, delay: notBefore - now, message }] : [],
      )
      .sort((a, b) => a.delay - b.delay);
  }

  /** Forgets all objects but these. */
  retain(objects: ReadonlySet<string>): void {
    for (const object of this.#objects.keys()) if (!objects.has(object)) this.#objects.delete(object);
  }
}

function unsteady(field: string): string {
  return `"objects" returns another ${field} for the same owner: return the same objects for the same state, without times and random values`;
}

function causeOf(drift: string | undefined): string {
  return drift === undefined
    ? 'another client deletes it: stop that client, or do not place the object'
    : `another client changes ${drift === '' ? 'its managedFields' : drift}: stop that client, or leave the field out of the object`;
}

/** Returns the path of the first field that differs, without its values, which may be secret; `undefined` if none does. */
function differentField(before: unknown, after: unknown, path = ''): string | undefined {
  if (!isContainer(before) || !isContainer(after)) return Object.is(before, after) ? undefined : path;
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const inner = path === '' ? name : `${path}.${name}`;
    const found = differentField(before[name], after[name], inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
