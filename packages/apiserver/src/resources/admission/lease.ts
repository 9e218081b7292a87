import type { Change } from '../resource-type.ts';
import { valueAt } from '../resource-type.ts';

/** Fields of coordinated leader election, a feature that is off by default. */
const FIELDS = ['strategy', 'preferredHolder'];

/** Drops fields of a feature that is off, unless the Lease had them before. */
export function admitLease({ object, previous }: Change): void {
  const { spec } = object;
  if (typeof spec !== 'object' || spec === null) return;
  for (const field of FIELDS) {
    if (valueAt(previous, `spec.${field}`) === undefined) Reflect.deleteProperty(spec, field);
  }
}
