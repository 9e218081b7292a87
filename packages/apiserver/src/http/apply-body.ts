import { duplicateFields } from '../schema/duplicate-fields.ts';
import { requireExactIntegers } from '../schema/exact-integers.ts';
import type { LongJson } from '../schema/long-json.ts';
import { LONG_JSON, readLongJson } from '../schema/long-json.ts';
import { isTooDeep } from '../schema/nesting.ts';
import { overflowingNumber } from '../schema/number-texts.ts';
import { badRequest, StatusError } from '../status.ts';
import { inTurns, Turn } from '../turn.ts';
import type { Exchange } from './exchange.ts';
import type { WriteRequestOptions } from './write-options.ts';
import type { ParsedYaml } from './yaml.ts';
import { parseYaml, YamlError } from './yaml.ts';

/**
 * Reads the YAML or JSON body of an apply.
 *
 * @throws {StatusError} 400 if it is not YAML, 501 for an integer that would be rounded.
 */
export async function readApplyBody(exchange: Exchange): Promise<ParsedYaml> {
  const text = (await exchange.bytes()).toString();
  // Clients mostly send JSON, which is faster to parse.
  const json = text.trimStart().startsWith('{') ? await readJson(text) : undefined;
  if (json) {
    if (json.inexact) throw json.inexact;
    // YAML reads a number that is too large as a text.
    if (json.duplicates.length === 0 && json.overflowing === undefined) return { value: json.value, duplicates: [] };
  }
  try {
    return await parseYaml(text);
  } catch (error) {
    throw error instanceof YamlError ? badRequest(`error decoding YAML: ${error.message}`) : error;
  }
}

/**
 * Reports duplicate keys as the client requested (KEP-2885).
 *
 * @throws {StatusError} 400 if the client requested strict validation.
 */
export function reportDuplicateKeys(
  exchange: Exchange,
  duplicates: readonly string[],
  { fieldValidation }: WriteRequestOptions,
): void {
  if (duplicates.length === 0 || fieldValidation === 'Ignore') return;
  if (fieldValidation === 'Strict') {
    const list = duplicates.map((text) => `\n  ${text}`).join('');
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:${list}`);
  }
  for (const duplicate of duplicates) exchange.warn(duplicate);
}

/** Returns `undefined` for a text that is not JSON or too deep, which the YAML parser then refuses. */
async function readJson(text: string): Promise<LongJson | undefined> {
  if (text.length >= LONG_JSON) return inTurns(readLongJson(text, new Turn()));
  if (isTooDeep(text)) return undefined;
  try {
    const value = JSON.parse(text) as unknown;
    requireExactIntegers(text);
    return { value, duplicates: duplicateFields(text), inexact: undefined, overflowing: overflowingNumber(text) };
  } catch (error) {
    if (error instanceof StatusError) throw error;
    return undefined;
  }
}
