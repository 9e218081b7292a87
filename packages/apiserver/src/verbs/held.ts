import type { AdmissionContext } from '../resources/resource-type.ts';
import type { Steps } from './steps.ts';

/**
 * Runs a write that reserves values for the object that it stores. At its end, the reservations end.
 *
 * @param write gets the function that registers a call for the end. It returns `undefined` if it stored nothing.
 */
export function* holding<T>(write: (hold: AdmissionContext['hold']) => Steps<T>): Steps<T> {
  const ends: ((isStored: boolean) => void)[] = [];
  let isStored = false;
  try {
    const result = yield* write((end) => ends.push(end));
    isStored = result !== undefined;
    return result;
  } finally {
    for (const end of ends) end(isStored);
  }
}
