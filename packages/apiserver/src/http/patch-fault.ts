import { DecodeError } from '../decode-error.ts';
import { goQuote, StatusError } from '../status.ts';
import type { Paused } from '../turn.ts';

/** 422: the result of a patch is not an object. */
export function rejected(): StatusError {
  return new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}

/**
 * Runs `decode` for a patched object. If the object cannot be decoded, the error is one of the field `patch`.
 * (Upstream: `jsonPatcher.applyPatchToCurrentObject`.)
 *
 * @throws {StatusError} 422
 */
export function* orUnpatched<T>(patched: object, decode: () => Paused<T>): Paused<T> {
  try {
    return yield* decode();
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 400) throw error;
    const why = error instanceof DecodeError ? error.why : error.message;
    const message = `Invalid value: ${goQuote(JSON.stringify(patched))}: ${why}`;
    throw new StatusError(422, 'Invalid', ` "" is invalid: patch: ${message}`, {
      causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }],
    });
  }
}
