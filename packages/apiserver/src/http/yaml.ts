import type { Event, YAMLException } from 'js-yaml';
import { NESTING_LIMIT, TOO_DEEP } from '../schema/nesting.ts';
import { YamlError } from './yaml-error.ts';
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
    events = parseEvents(text, { maxDepth: NESTING_LIMIT });
  } catch (error) {
    if (error instanceof Fault) throw YamlError.unconverted(faultMessage(error));
    throw error;
  }
  requireVersion(events[0]);
  const { value, duplicates } = new YamlValue(text, events, (scalar) => getScalarValue(text, scalar));
  return { value, duplicates: withLines(text, duplicates) };
}

const INCOMPATIBLE = 'found incompatible YAML document';

/** @throws {YamlError} if the text declares another version than YAML 1.1. */
function requireVersion(document: Event | undefined): void {
  if (document === undefined || !('directives' in document)) return;
  const isKnown = document.directives.every((directive) => directive.kind !== 'yaml' || directive.version === '1.1');
  if (!isKnown) throw YamlError.unconverted(INCOMPATIBLE);
}

/** Messages of a real server for common mistakes, by the reason of the parser. */
const MESSAGES: readonly (readonly [reason: RegExp, message: string])[] = [
  [/^nesting exceeded/u, TOO_DEEP],
  [/^tab characters/u, 'found character that cannot start any token'],
  [/^bad indentation of a mapping entry/u, 'did not find expected key'],
  [/^unacceptable YAML version/u, INCOMPATIBLE],
  [/^unexpected end of the stream within a \w+ quoted/u, 'found unexpected end of stream'],
  [/^unknown escape/u, 'found unknown escape character'],
  [/^(?:null byte|the stream contains non-printable)/u, 'control characters are not allowed'],
];

/** Messages for a character that an entry of a mapping cannot contain. */
const MISPLACED: Readonly<Record<string, string>> = {
  ':': 'mapping values are not allowed in this context',
  '@': 'found character that cannot start any token',
  '`': 'found character that cannot start any token',
};

function faultMessage({ reason, mark }: YAMLException): string {
  const character = mark?.buffer.charAt(mark.position) ?? '';
  const misplaced = reason.startsWith('bad indentation of a mapping entry') ? MISPLACED[character] : undefined;
  const message = misplaced ?? MESSAGES.find(([pattern]) => pattern.test(reason))?.[1] ?? reason;
  // A real server does not name the first line, nor that of a control character.
  const hasLine = mark && mark.line > 0 && !/^(?:control|exceeded|found incompatible)/u.test(message);
  return hasLine ? `line ${mark.line + 1}: ${message}` : message;
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
