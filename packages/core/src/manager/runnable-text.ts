import { shortened } from '@mcr/client';
import { partText } from './claims.ts';
import type { Runnable } from './runnable.ts';

/** Maximum number of runnables that one error names. */
const MAX_NAMED = 5;

const MAX_TEXT_BYTES = 2_048;

/** Returns the description of a runnable, or the name of its class. */
export function runnableText(runnable: Runnable): string {
  try {
    const text: unknown = runnable.describe?.();
    if (typeof text === 'string') return shortened(text, MAX_TEXT_BYTES);
  } catch {
    // A description that throws must not hide the error that it is part of.
  }
  return partText('runnable', runnable);
}

/** Returns the texts of at most five runnables, and the number of the others. */
export function runnablesText(runnables: readonly Runnable[]): string {
  const named = runnables.slice(0, MAX_NAMED).map(runnableText);
  const others = runnables.length - named.length;
  return [...named, ...(others > 0 ? [`${others} more`] : [])].join('; ');
}
