import { STRATEGIC_PATCH } from '../patch/patch.ts';
import { duplicateFields } from '../schema/duplicate-fields.ts';
import { requireExactIntegers } from '../schema/exact-integers.ts';
import { jsonFault } from '../schema/json-fault.ts';
import type { LongJson } from '../schema/long-json.ts';
import { LONG_JSON, readLongJson } from '../schema/long-json.ts';
import { overflowingNumber, parseNumbers } from '../schema/number-texts.ts';
import { jsonType } from '../resources/metadata-types.ts';
import type { StatusError } from '../status.ts';
import { badRequest } from '../status.ts';
import type { Paused, Turn } from '../turn.ts';
import type { Exchange } from './exchange.ts';
import { wellFormedJson } from './well-formed-json.ts';
import type { CheckedBody, WriteRequestOptions } from './write-options.ts';

/** The body of a patch. It is parsed after the object was found, as in a real server. */
export interface PatchBody {
  /** @throws {StatusError} 400, 501 for an integer that would be rounded. */
  readonly parse: (turn: Turn) => Paused<CheckedBody>;
}

const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';

/** Reads the body of a JSON patch, a merge patch or a strategic merge patch. @throws {StatusError} 413 */
export async function readPatchBody(exchange: Exchange, { fieldValidation }: WriteRequestOptions): Promise<PatchBody> {
  const text = wellFormedJson((await exchange.bytes()).toString());
  const isLenient = fieldValidation === 'Ignore';
  const { contentType } = exchange;
  return {
    *parse(turn) {
      const refuse = (fault: string): StatusError => undecodable(contentType, fault, isLenient);
      const { value, duplicates, overflowing } = yield* readJson(text, refuse, turn);
      if (overflowing !== undefined) throw refuse(numberFault(contentType, overflowing));
      requireObject(contentType, value, isLenient);
      const mistyped = contentType === JSON_PATCH ? operationFault(value, isLenient) : undefined;
      if (mistyped !== undefined) throw undecodable(contentType, mistyped, isLenient);
      if (isLenient) return { value, duplicates: [], duplicateKeys: [] };
      if (contentType !== JSON_PATCH) return { value, duplicates, duplicateKeys: [] };
      return { value, duplicates: [], duplicateKeys: [], patchFaults: operationFaults(value, duplicates) };
    },
  };
}

/** @param undecodable makes the error of a text that is not JSON. */
function* readJson(text: string, undecodable: (fault: string) => StatusError, turn: Turn): Paused<LongJson> {
  const long = text.length < LONG_JSON ? undefined : yield* readLongJson(text, turn);
  if (long?.inexact) throw long.inexact;
  if (long) return long;
  const fault = jsonFault(text);
  if (fault !== undefined) throw undecodable(fault);
  requireExactIntegers(text);
  const overflowing = overflowingNumber(text);
  return { value: parseNumbers(text), duplicates: duplicateFields(text), inexact: undefined, overflowing };
}

function numberFault(contentType: string, number: string): string {
  const what = contentType === JSON_PATCH ? 'struct field jsonPatchOp.value' : 'value';
  return `json: cannot unmarshal number ${number} into Go ${what} of type float64`;
}

/** 400: a body is not a patch. Without the validation of fields, another decoder of a real server finds it. */
function undecodable(contentType: string, why: string, isLenient: boolean): StatusError {
  if (isLenient && contentType === MERGE) return badRequest(NOT_A_PATCH);
  return badRequest(contentType === STRATEGIC_PATCH || isLenient ? why : `error decoding patch: ${why}`);
}

const NOT_A_PATCH = 'Invalid JSON Patch';

/** Merge patches are objects. */
function requireObject(contentType: string, value: unknown, isLenient: boolean): void {
  if (contentType !== MERGE && contentType !== STRATEGIC_PATCH) return;
  if (value === null && contentType === STRATEGIC_PATCH) return;
  if (value === null) throw badRequest(NOT_A_PATCH);
  if (typeof value === 'object' && !Array.isArray(value)) return;
  // A list replaces the object, which is refused later.
  if (isLenient && contentType === MERGE && Array.isArray(value)) return;
  const fault = `json: cannot unmarshal ${jsonType(value)} into Go value of type map[string]interface {}`;
  throw undecodable(contentType, fault, isLenient);
}

/** Fields of an operation of a JSON patch, and whether they are texts. */
const OPERATION: Readonly<Record<string, boolean>> = { op: true, path: true, from: true, value: false };

/** Returns Go's message for the first operation, or field of one, with a value of the wrong type. */
function operationFault(patch: unknown, isLenient: boolean): string | undefined {
  if (patch === null) return undefined;
  const [list, item] = isLenient
    ? ['jsonpatch.Patch', 'jsonpatch.Operation']
    : ['[]handlers.jsonPatchOp', 'handlers.jsonPatchOp'];
  if (!Array.isArray(patch)) return `json: cannot unmarshal ${jsonType(patch)} into Go value of type ${list}`;
  for (const operation of patch as readonly unknown[]) {
    if (operation === null) continue;
    if (typeof operation !== 'object' || Array.isArray(operation))
      return `json: cannot unmarshal ${jsonType(operation)} into Go value of type ${item}`;
    if (isLenient) continue;
    for (const [field, value] of Object.entries(operation) as [string, unknown][]) {
      if (OPERATION[field] !== true || value === null || typeof value === 'string') continue;
      return `json: cannot unmarshal ${jsonType(value)} into Go struct field jsonPatchOp.${field} of type string`;
    }
  }
  return undefined;
}

/** Describes the unknown and duplicate fields of operations. @param duplicates paths of fields in the patch. */
function operationFaults(patch: unknown, duplicates: readonly string[]): readonly string[] {
  if (!Array.isArray(patch)) return [];
  const unknown = (patch as readonly (object | null)[]).flatMap((operation, index) =>
    Object.keys(operation ?? {})
      .filter((field) => !Object.hasOwn(OPERATION, field))
      .map((field) => `json patch unknown field ${JSON.stringify(`[${index}].${field}`)}`),
  );
  return [...duplicates.map((path) => `json patch duplicate field ${JSON.stringify(path)}`), ...unknown];
}
