import type { Clock } from '@mcr/client';
import { foundText, systemClock } from '@mcr/client';

/** A condition in `status.conditions`. (Upstream: `metav1.Condition`.) */
export interface Condition {
  type: string;
  status: ConditionStatus;
  /** The `metadata.generation` that it is based on. */
  observedGeneration?: number;
  /** When `status` last changed, in RFC 3339 with seconds. */
  lastTransitionTime: string;
  /** Machine-readable reason, one word in CamelCase. */
  reason: string;
  /** Human-readable message. */
  message: string;
}

/** Status of a {@link Condition}. */
export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** A condition for {@link setCondition}, which sets `lastTransitionTime`. */
export type ConditionUpdate = Readonly<Omit<Condition, 'lastTransitionTime'>> & {
  /** Default: now. */
  readonly lastTransitionTime?: string;
};

/**
 * Sets a condition in `conditions`, in place, and returns whether it changed. `lastTransitionTime` changes only when
 * the status changes. (Upstream: `meta.SetStatusCondition`.)
 *
 * @param options.clock clock of `lastTransitionTime`. Default: the system clock.
 * @throws {TypeError} if `conditions` is not a list, or `type` or `status` of the condition is invalid.
 */
export function setCondition(
  conditions: Condition[],
  update: ConditionUpdate,
  { clock = systemClock }: { readonly clock?: Clock } = {},
): boolean {
  checkArguments(conditions, update);
  const index = conditions.findIndex(({ type }) => type === update.type);
  const present = conditions[index];
  const since = present?.status === update.status ? present.lastTransitionTime : update.lastTransitionTime;
  const condition: Condition = { ...update, lastTransitionTime: since ?? timestamp(clock) };
  if (!present) conditions.push(condition);
  else if (FIELDS.some((field) => present[field] !== condition[field])) conditions[index] = condition;
  else return false;
  return true;
}

function checkArguments(conditions: unknown, update: unknown): void {
  if (!Array.isArray(conditions)) {
    throw new TypeError(
      `setCondition: expected a list of conditions first, found ${foundText(conditions)}: pass (status.conditions ??= [])`,
    );
  }
  const { type, status } = Object(update) as Readonly<Record<string, unknown>>;
  if (typeof type !== 'string' || type === '') {
    throw new TypeError(`setCondition: expected a condition with the text "type", found ${foundText(update)}`);
  }
  if (status !== 'True' && status !== 'False' && status !== 'Unknown') {
    const found = typeof status === 'string' ? 'another text' : foundText(status);
    throw new TypeError(`setCondition: field "status": expected "True", "False" or "Unknown", found ${found}`);
  }
}

const FIELDS = ['status', 'observedGeneration', 'reason', 'message'] as const;

/** Returns the condition with a type. (Upstream: `meta.FindStatusCondition`.) */
export function findCondition<C extends { readonly type: string }>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/**
 * Removes the condition with a type, in place, and returns whether it existed. (Upstream:
 * `meta.RemoveStatusCondition`.)
 */
export function removeCondition(conditions: { readonly type: string }[] | undefined, type: string): boolean {
  const index = conditions?.findIndex((condition) => condition.type === type) ?? -1;
  if (index >= 0) conditions?.splice(index, 1);
  return index >= 0;
}

/** Whether the condition with a type has the status `True`. (Upstream: `meta.IsStatusConditionTrue`.) */
export function isConditionTrue(
  conditions: readonly { readonly type: string; readonly status: string }[] | undefined,
  type: string,
): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

/** Returns the current time in the format of the API server, without fractions of a second. */
function timestamp(clock: Clock): string {
  return new Date(clock.wallTime()).toISOString().replace(/\.\d+Z$/, 'Z');
}
