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
  /** Text of `placedKey`. */
  readonly object: string;
  readonly configuration: unknown;
  /** The earlier applies of the object. Default: none. */
  readonly before: Applies | undefined;
  /** Returns what others have done since the last apply, and what to do about it. */
  readonly cause: () => string;
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

/** The applies of one object. */
export interface Applies {
  /** Digest of what the desired objects may depend on. While it is the same, applies are counted. */
  readonly inputs: string;
  readonly count: number;
  /** Instant before which the object is not applied, in milliseconds. */
  readonly notBefore: number;
  /** Configuration of the last apply, from the second one on, because most objects are applied once. */
  readonly configuration?: unknown;
  readonly message?: string;
}

/**
 * Slows the applies of objects that do not settle in one reconcile: the function `objects` returns another object each time,
 * or another client changes the same fields. Otherwise, each apply would cause an event, and each event an apply.
 */
export class ApplyPace {
  readonly #clock: Clock;
  readonly #makeInputs: () => string;
  readonly #onSlowed: (slowed: SlowedObject) => void;
  #inputs: string | undefined;

  /**
   * @param options.inputs returns a digest of what the desired objects may depend on.
   * @param options.onSlowed called if the next apply of an object is delayed.
   */
  constructor({
    clock,
    inputs,
    onSlowed,
  }: {
    readonly clock: Clock;
    readonly inputs: () => string;
    readonly onSlowed: (slowed: SlowedObject) => void;
  }) {
    this.#clock = clock;
    this.#makeInputs = inputs;
    this.#onSlowed = onSlowed;
  }

  /** Returns whether an object may be applied. @param applies its applies. Default: none. */
  mayApply(applies: Applies | undefined): boolean {
    return applies === undefined || this.#clock.now() >= applies.notBefore || applies.inputs !== this.#current();
  }

  /** Counts an apply. Returns the applies of the object, to be passed to the next call. */
  applied({ object, configuration, before, cause }: PacedApply): Applies {
    const now = this.#clock.now();
    const inputs = this.#current();
    const isRepeated = before?.inputs === inputs && now < before.notBefore + QUIET_TIME;
    if (!isRepeated) return { inputs, count: 1, notBefore: now };
    const count = before.count + 1;
    const excess = count - FREE_APPLIES;
    if (excess < 0) return { inputs, count, notBefore: now, configuration };
    const field = differentField(before.configuration, configuration);
    const message = `${object} is applied repeatedly: ${field === undefined ? cause() : unsteady(field)}`;
    const delay = Math.min(FIRST_DELAY * 2 ** Math.min(excess, 30), MAX_DELAY);
    this.#onSlowed({ object, applies: count, delay, message });
    return { inputs, count, notBefore: now + delay, configuration, message };
  }

  #current(): string {
    return (this.#inputs ??= this.#makeInputs());
  }
}

/** Returns the objects whose next apply is delayed, the one with the shortest delay first. */
export function slowedObjects(
  objects: ReadonlyMap<string, { readonly applies?: Applies | undefined }>,
  now: number,
): SlowedObject[] {
  return [...objects]
    .flatMap(([object, { applies }]) =>
      applies?.message !== undefined && now < applies.notBefore
        ? [{ object, applies: applies.count, delay: applies.notBefore - now, message: applies.message }]
        : [],
    )
    .sort((a, b) => a.delay - b.delay);
}

function unsteady(field: string): string {
  return `"objects" returns another ${field} for the same owner: return the same objects for the same state, without times and random values`;
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
