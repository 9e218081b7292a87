import { DecodeError } from '../decode-error.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { fractionFault } from '../schema/fractions.ts';
import { goDecoding } from '../schema/go-decode.ts';
import { wrappingIntegers } from '../schema/wrap-integers.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import type { Paused, Turn } from '../turn.ts';

/** Returns Go's message if an object of a built-in kind does not match the Go type of its version. */
export function* decodingFault(type: ResourceType, object: ApiObject, turn: Turn): Paused<string | undefined> {
  const fraction = yield* fractionFault(type.schema, object, turn);
  if (fraction !== undefined) return fraction;
  try {
    yield* goDecoding(type, yield* wrappingIntegers(type.schema, object, turn), turn);
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return faultOfConversion(error);
    throw error;
  }
}

/**
 * Returns the message of a decoder as a conversion reports it. The types of the other fields are those of the schema: only
 * `IntOrString`, which decodes itself, is left.
 */
export function faultOfConversion({ why }: DecodeError): string {
  return why.replace(/ Go struct field \S+ of type int32$/u, ' Go value of type int32');
}
