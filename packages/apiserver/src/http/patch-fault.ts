import { decodingFault } from '../apply/decoding-fault.ts';
import { plainText } from '../apply/go-format.ts';
import { DecodeError } from '../decode-error.ts';
import { goQuote } from '../go-quote.ts';
import { isObject } from '../patch/merge-patch.ts';
import { restoreFault } from '../patch/restore-fault.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { StatusError } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import type { Paused, Turn } from '../turn.ts';

/** 422: the result of a patch is not an object. */
export function rejected(): StatusError {
  return new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}

/** How the error of a patched object that cannot be decoded describes it. */
export interface Shown {
  readonly patched: object;
  /** A strategic merge patch: its errors show the patch instead of the object, and convert the object in another way. */
  readonly strategic?: { readonly type: ResourceType; readonly patch: unknown } | undefined;
}

/**
 * Runs `decode` for a patched object. If the object cannot be decoded, the error is one of the field `patch`.
 * (Upstream: `applyPatchToCurrentObject` of `jsonPatcher` and `smpPatcher`.)
 *
 * @throws {StatusError} 422
 */
export function* orUnpatched<T>({ patched, strategic }: Shown, turn: Turn, decode: () => Paused<T>): Paused<T> {
  try {
    return yield* decode();
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 400) throw error;
    const fault =
      strategic &&
      (restoreFault(strategic.type.schema, patched) ??
        (yield* decodingFault(strategic.type, patched as ApiObject, turn)));
    const why = fault ?? (error instanceof DecodeError ? error.why : error.message);
    const text = strategic ? plainText(merged(strategic.patch)) : JSON.stringify(patched);
    const message = `Invalid value: ${goQuote(text)}: ${why}`;
    throw new StatusError(422, 'Invalid', ` "" is invalid: patch: ${message}`, {
      causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }],
    });
  }
}

/** Returns a strategic merge patch without the directives, and the lists with an order, that a real server removes from it. */
function merged(patch: unknown): unknown {
  if (Array.isArray(patch)) return patch.map(merged);
  if (!isObject(patch)) return patch;
  const { $patch: directive, $retainKeys: _, ...fields } = patch;
  const ordered = new Set(Object.keys(fields).flatMap((field) => field.split('$setElementOrder/').slice(1)));
  const left = Object.entries(fields).filter(
    ([field]) => !field.startsWith('$setElementOrder/') && !ordered.has(field),
  );
  return {
    ...(directive !== undefined && directive !== 'replace' && { $patch: directive }),
    ...Object.fromEntries(left.map(([field, value]) => [field, merged(value)])),
  };
}
