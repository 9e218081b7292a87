import { duplicateFields } from '../schema/duplicate-fields.ts';
import { requireExactIntegers } from '../schema/exact-integers.ts';
import { parseNumbers } from '../schema/number-texts.ts';
import type { StatusError } from '../status.ts';
import { badRequest } from '../status.ts';
import type { Exchange } from './exchange.ts';
import { jsonFault } from './readable-body.ts';
import type { CheckedBody, WriteRequestOptions } from './write-options.ts';

/** The body of a patch. It is parsed after the object was found, as in a real server. */
export interface PatchBody {
  /** @throws {StatusError} 400, 501 for an integer that would be rounded. */
  readonly parse: () => CheckedBody;
}

export const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
const MERGE = 'application/merge-patch+json';

/** Reads the body of a JSON patch, a merge patch or a strategic merge patch. @throws {StatusError} 413 */
export async function readPatchBody(exchange: Exchange, { fieldValidation }: WriteRequestOptions): Promise<PatchBody> {
  const text = (await exchange.bytes()).toString();
  return {
    parse() {
      const fault = jsonFault(text);
      if (fault !== undefined) throw undecodable(exchange, fault);
      requireExactIntegers(text);
      const value = parseNumbers(text);
      requireObject(exchange, value);
      return { value, duplicates: fieldValidation === 'Ignore' ? [] : duplicateFields(text), duplicateKeys: [] };
    },
  };
}

function undecodable({ contentType }: Exchange, why: string): StatusError {
  return badRequest(contentType === STRATEGIC_PATCH ? why : `error decoding patch: ${why}`);
}

/** Merge patches are objects. */
function requireObject(exchange: Exchange, value: unknown): void {
  const { contentType } = exchange;
  if (contentType !== MERGE && contentType !== STRATEGIC_PATCH) return;
  if (value === null && contentType === STRATEGIC_PATCH) return;
  if (value === null) throw badRequest('Invalid JSON Patch');
  if (typeof value === 'object' && !Array.isArray(value)) return;
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  throw undecodable(exchange, `json: cannot unmarshal ${found} into Go value of type map[string]interface {}`);
}
