import { inspect } from 'node:util';
import { shortened } from '@mcr/client';
import { isError } from '../../log/describe-error.ts';

/** Maximum size of a thrown value in an error message, in bytes. */
const MAX_SHOWN = 200;

/** Formats on one line, without calling code of the value. */
const PLAIN = { depth: 0, breakLength: Infinity, customInspect: false };

/** Returns a thrown value as an error. A value that is not an `Error` is quoted in the message of a new one. */
export function thrownError(thrown: unknown): Error {
  if (isError(thrown)) return thrown;
  const shown = shortened(inspect(thrown, { ...PLAIN, maxStringLength: MAX_SHOWN }), MAX_SHOWN);
  return new TypeError(`the reconciler threw a value that is not an Error: ${shown}: throw an Error`);
}
