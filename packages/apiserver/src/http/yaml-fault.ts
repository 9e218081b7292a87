import type { YAMLException } from 'js-yaml';
import { TOO_DEEP } from '../schema/nesting.ts';

export const INCOMPATIBLE = 'found incompatible YAML document';

/** Messages of a real server for common mistakes, by the reason of the parser. */
const MESSAGES: readonly (readonly [reason: RegExp, message: string])[] = [
  [/^nesting exceeded/u, TOO_DEEP],
  [/^tab characters/u, 'found character that cannot start any token'],
  [/^bad indentation of a mapping entry/u, 'did not find expected key'],
  [/^unacceptable YAML version/u, INCOMPATIBLE],
  [/^a line break is expected/u, 'did not find expected comment or line break'],
  [/^directives end mark/u, 'found unknown directive name'],
  [/^unexpected end of the stream within a \w+ quoted/u, 'found unexpected end of stream'],
  [/^unknown escape/u, 'found unknown escape character'],
  [/^(?:null byte|the stream contains non-printable)/u, 'control characters are not allowed'],
];

/** A text goes on after its value. */
const UNEXPECTED = /^end of the stream or a document separator/u;

/** Messages for a character that an entry of a mapping cannot contain. */
const MISPLACED: Readonly<Record<string, string>> = {
  ':': 'mapping values are not allowed in this context',
  '@': 'found character that cannot start any token',
  '`': 'found character that cannot start any token',
};

/** Returns the message of a real server for a mistake, with its line. */
export function faultMessage({ reason, mark }: YAMLException): string {
  const character = mark?.buffer.charAt(mark.position) ?? '';
  const inFlow = mark && flowFault(reason, mark.buffer, mark.position);
  if (inFlow !== undefined) return inFlow;
  const isEntry = reason.startsWith('bad indentation of a mapping entry');
  const misplaced = isEntry || UNEXPECTED.test(reason) ? MISPLACED[character] : undefined;
  const message = misplaced ?? MESSAGES.find(([pattern]) => pattern.test(reason))?.[1] ?? reason;
  // A real server does not name the first line, nor that of a control character.
  const hasLine = mark && mark.line > 0 && !/^(?:control|exceeded|found incompatible)/u.test(message);
  return hasLine ? `line ${mark.line + 1}: ${message}` : message;
}

/** Returns the message for an object or list in the notation of JSON that is not complete, or has a misplaced character. */
function flowFault(reason: string, text: string, position: number): string | undefined {
  const noContent = 'did not find expected node content';
  if (UNEXPECTED.test(reason)) {
    const start = text.slice(0, position);
    if (start.trim() === '') return /[\]},]/u.test(text.charAt(position)) ? noContent : undefined;
    return onLine(start.split('\n').length - 1, blockFault(start));
  }
  const atEnd = reason.startsWith('unexpected end of the stream within a flow');
  if (!atEnd && !reason.startsWith('missed comma between flow')) return undefined;
  const before = atEnd ? text.replace(/[\0\s]+$/u, '') : text.slice(0, position);
  const message = /[[{:,]\s*$/u.test(before) ? noContent : `did not find expected ',' or '${closing(before)}'`;
  // The parser of a real server counts lines from 0, and begins one at the end of the text.
  const line = before.split('\n').length - (atEnd ? 0 : 1);
  return onLine(line, message);
}

/** Returns the message for a list or an object that ends where its text goes on. */
function blockFault(start: string): string | undefined {
  if (/^\s*-\s/u.test(start)) return "did not find expected '-' indicator";
  return /^\s*[\w-]+:\s/u.test(start) ? 'did not find expected key' : undefined;
}

function onLine(line: number, message: string | undefined): string | undefined {
  return line === 0 || message === undefined ? message : `line ${line}: ${message}`;
}

/** Returns the character that closes the innermost open object or list. */
function closing(text: string): string {
  const open: string[] = [];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gu)) {
    if (token === '[' || token === '{') open.push(token);
    else if (token === ']' || token === '}') open.pop();
  }
  return open.at(-1) === '[' ? ']' : '}';
}
