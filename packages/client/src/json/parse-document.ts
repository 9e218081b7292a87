import { workInTurn } from '../clock/event-loop-turn.ts';
import { DocumentError } from './document-error.ts';
import { parseJson } from './json.ts';
import { excessIn, OBJECT_LIMITS, SMALLEST_EXCESS } from './structure.ts';

/**
 * Number of bytes that are always parsed in one call. A socket delivers about as much at a time; larger inputs are cut
 * into slices of this size.
 */
export const PARSED_AT_ONCE = 64 * 1024;

/**
 * Like {@link parseJson}, with limits on the number of values and on nesting.
 *
 * @param limits Default: those of an object.
 * @throws {DocumentError} if the text is not JSON or exceeds a limit.
 */
export function parseDocument(text: string, limits = OBJECT_LIMITS): unknown {
  const isSmall = limits === OBJECT_LIMITS && text.length < SMALLEST_EXCESS;
  const excess = isSmall ? undefined : excessIn(text, limits);
  if (excess !== undefined) throw new DocumentError(excess);
  return parseJson(text);
}

/**
 * Like {@link parseDocument}, but parses a large document in a turn of the event loop that is shared with other bursts
 * of work: many documents may arrive together, and each may take as long as the limits allow. A small document is
 * parsed synchronously.
 */
export async function parseInTurn(text: string): Promise<unknown> {
  return text.length <= PARSED_AT_ONCE ? parseDocument(text) : workInTurn(() => parseDocument(text));
}
