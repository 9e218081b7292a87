import { DocumentError } from './document-error.ts';
import { excessIn, OBJECT_LIMITS, SMALLEST_EXCESS } from './structure.ts';

/**
 * Like `JSON.parse`, with limits on the number of values and on their nesting.
 *
 * @param limits Default: those of an object.
 * @throws {DocumentError} when the text is not JSON, or exceeds a limit.
 */
export function parseDocument(text: string, limits = OBJECT_LIMITS): unknown {
  const isSmall = limits === OBJECT_LIMITS && text.length < SMALLEST_EXCESS;
  const excess = isSmall ? undefined : excessIn(text, limits);
  if (excess !== undefined) throw new DocumentError(excess);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The parser's own error quotes the text, which may be part of a Secret.
    throw new DocumentError('is not JSON');
  }
}
