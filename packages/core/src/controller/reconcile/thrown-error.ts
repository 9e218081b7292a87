import { inspect } from 'node:util';
import { shortened } from '@mcr/client';
import { isError } from '../../log/describe-error.ts';

/** The most of a thrown value that an error shows, in bytes. */
const MAX_SHOWN = 200;

/** One line, without calling code of the value. */
const PLAIN = { depth: 0, breakLength: Infinity, customInspect: false };

/** Returns what a reconciler threw as an error; for a value that is not an `Error`, one that shows it. */
export function thrownError(thrown: unknown): Error {
  if (isError(thrown)) return thrown;
  const shown = shortened(inspect(thrown, { ...PLAIN, maxStringLength: MAX_SHOWN }), MAX_SHOWN);
  return new TypeError(`the reconciler threw a value that is not an Error: ${shown}: throw an Error`);
}
