import type { Paused, Turn } from '../turn.ts';

/** Reports whether two JSON values are equal, whatever the order of their fields. Pauses, because they can be large. */
export function* areEqual(one: unknown, other: unknown, turn: Turn): Paused<boolean> {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const fields = Object.keys(one);
  if (fields.length !== Object.keys(other).length) return false;
  for (const field of fields) {
    if (turn.step()) yield* turn.pause();
    if (!Object.hasOwn(other, field)) return false;
    const [left, right] = [(one as Values)[field], (other as Values)[field]];
    const isLeaf = typeof left !== 'object' || left === null;
    if (isLeaf ? !Object.is(left, right) : !(yield* areEqual(left, right, turn))) return false;
  }
  return true;
}

type Values = Readonly<Record<string, unknown>>;
