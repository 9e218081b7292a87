import { decodeMessage } from '../protobuf/decode.ts';
import { messages } from '../protobuf/messages.ts';
import type { JsonObject } from '../storage/stored-object.ts';

const NOTHING = Buffer.alloc(0);

/** Returns the JSON that Go writes for an empty object of a built-in kind, or `undefined` if its type is not known. */
export function goEmpty(apiVersion: string, kind: string): JsonObject | undefined {
  const message = messages.ofKind(apiVersion, kind);
  return message && (decodeMessage(message, NOTHING) as JsonObject);
}
