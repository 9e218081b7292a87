import type { Clock } from '@mcr/client';
import { foundText, systemClock } from '@mcr/client';

/** One aspect of an object's state, in `status.conditions`. (Upstream: `metav1.Condition`.) */
export interface Condition {
  type: string;
  status: ConditionStatus;
  /** The `metadata.generation` that it was made of. */
  observedGeneration?: number;
  /** When `status` last changed: RFC 3339, in seconds. */
  lastTransitionTime: string;
  /** One word in CamelCase, for programs. */
  reason: string;
  /** For people. */
  message: string;
}

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** A condition whose time of transition is up to {@link setCondition}. */
export type ConditionUpdate = Readonly<Omit<Condition, 'lastTransitionTime'>> & {
  /** Default: now. */
  readonly lastTransitionTime?: string;
};

/**
 * Puts a condition into `conditions`, in place; whether that changed anything. `lastTransitionTime` is set when the
 * status changes, and only then. (Upstream: `meta.SetStatusCondition`.)
 *
 * @param options.clock default: the machine's own.
 * @throws {TypeError} if `conditions` is not a list, or `type` or `status` of the condition is wrong.
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

/** The condition of that type. (Upstream: `meta.FindStatusCondition`.) */
export function findCondition<C extends { readonly type: string }>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Takes the condition of that type out of `conditions`, in place; whether it was there. (Upstream: `meta.RemoveStatusCondition`.) */
export function removeCondition(conditions: { readonly type: string }[] | undefined, type: string): boolean {
  const index = conditions?.findIndex((condition) => condition.type === type) ?? -1;
  if (index >= 0) conditions?.splice(index, 1);
  return index >= 0;
}

/** Whether there is a condition of that type, and it holds. (Upstream: `meta.IsStatusConditionTrue`.) */
export function isConditionTrue(
  conditions: readonly { readonly type: string; readonly status: string }[] | undefined,
  type: string,
): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

/** As the API server writes times: without fractions of a second. */
function timestamp(clock: Clock): string {
  return new Date(clock.wallTime()).toISOString().replace(/\.\d+Z$/, 'Z');
}
