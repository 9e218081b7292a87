import type { Event } from 'js-yaml';
import { NESTING_LIMIT } from '../schema/nesting.ts';
import { inTurns } from '../turn.ts';
import { YamlError } from './yaml-error.ts';
import { faultMessage, INCOMPATIBLE } from './yaml-fault.ts';
import { YamlValue } from './yaml-value.ts';

export { YamlError } from './yaml-error.ts';

/** A value, and the keys that its text contains more than once. */
export interface ParsedYaml {
  readonly value: unknown;
  /** For example `line 7: key "a" already set in map`. */
  readonly duplicates: readonly string[];
}

/**
 * Parses the first document of a YAML 1.1 text, as a real server does: `y` and `on` are booleans. Times and numbers to
 * base 60 are texts. Takes linear time: the largest body takes less than a second.
 *
 * @throws {YamlError}
 * @throws {StatusError} 501 for an integer that would be rounded.
 */
export async function parseYaml(text: string): Promise<ParsedYaml> {
  const { getScalarValue, parseEvents, YAMLException: Fault } = await import('js-yaml');
  let events: readonly Event[];
  try {
    events = parseEvents(firstValue(text), { maxDepth: NESTING_LIMIT });
  } catch (error) {
    if (error instanceof Fault) throw YamlError.unconverted(faultMessage(error));
    throw error;
  }
  requireVersion(events[0]);
  const read = new YamlValue(text);
  await inTurns(read.read(events, (scalar) => getScalarValue(text, scalar)));
  return { value: read.value, duplicates: withLines(text, read.duplicates) };
}

/**
 * Returns the beginning of a text that has another token after an object or list in the notation of JSON. A real server reads
 * only the first document, and accepts any token after such a value.
 */
function firstValue(text: string): string {
  if (!/^\s*[[{]/u.test(text)) return text;
  const end = endOfJson(text);
  if (end === undefined) return text;
  const rest = text.slice(end);
  // After one of these, the value is not a key.
  if (/^\s*[\]},]/u.test(rest)) return text.slice(0, end);
  return /^\s*[\w\]}[{,]/u.test(rest) && !rest.includes(':') ? text.slice(0, end) : text;
}

/** Returns the position after the first JSON value, if the text has more than one. */
function endOfJson(text: string): number | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const position = /^Unexpected non-whitespace character after JSON at position (\d+)/u.exec(
      (error as Error).message,
    )?.[1];
    return position === undefined ? undefined : Number(position);
  }
}

/** @throws {YamlError} if the text declares another version than YAML 1.1. */
function requireVersion(document: Event | undefined): void {
  if (document === undefined || !('directives' in document)) return;
  const isKnown = document.directives.every((directive) => directive.kind !== 'yaml' || directive.version === '1.1');
  if (!isKnown) throw YamlError.unconverted(INCOMPATIBLE);
}

/** Returns the messages of duplicate keys, whose positions ascend. */
function withLines(text: string, duplicates: YamlValue['duplicates']): string[] {
  let line = 1;
  let end = text.indexOf('\n');
  return duplicates.map(({ position, shown }) => {
    while (end >= 0 && end < position) {
      line += 1;
      end = text.indexOf('\n', end + 1);
    }
    return `line ${line}: key ${shown} already set in map`;
  });
}
