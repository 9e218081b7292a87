import type { Paused } from '../turn.ts';
import { PAUSE, Turn } from '../turn.ts';

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Number of bytes between two looks at the time. */
const STEP = 4096;

/**
 * Indents JSON that has no spaces between its values, as `JSON.stringify` does with an indent of two. It copies the text
 * part by part, with pauses in which other requests are served.
 */
export function* indentJson(parts: Iterable<Buffer>): Paused<Buffer[]> {
  const turn = new Turn();
  const result: Buffer[] = [];
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let isOpening = false;
  for (const part of parts) {
    let copied = 0;
    const insert = (at: number, text: string): void => {
      if (at > copied) result.push(part.subarray(copied, at));
      copied = at;
      result.push(Buffer.from(text));
    };
    for (let at = 0; at < part.length; at++) {
      if (at % STEP === 0 && turn.isOver) {
        yield PAUSE;
        turn.restart();
      }
      const byte = part[at] ?? 0;
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInString = false;
        continue;
      }
      const isClosing = CLOSING.has(byte);
      if (isClosing) depth -= 1;
      // An empty list or object has no lines.
      if (isOpening !== isClosing) insert(at, lineAt(depth));
      isOpening = OPENING.has(byte);
      if (isOpening) depth += 1;
      else if (byte === QUOTE) isInString = true;
      else if (byte === COMMA) insert(at + 1, lineAt(depth));
      else if (byte === COLON) insert(at + 1, ' ');
    }
    if (copied < part.length) result.push(part.subarray(copied));
  }
  return result;
}

function lineAt(depth: number): string {
  return `\n${'  '.repeat(depth)}`;
}
