import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

/** A compiled regular expression in the syntax of Go (RE2). Matching takes linear time. */
export interface RegularExpression {
  /** Reports whether a part of the text matches. */
  test(text: string): boolean;
  /** Returns the matches from left to right, at most `limit`. */
  findAll(text: string, limit?: number): string[];
}

/** Number of compiled expressions to keep. */
const CACHE_LIMIT = 500;

const cache = new Map<string, RegularExpression | Error>();

let library: typeof RE2JS | undefined;

/** Loads the library with the first expression, because most clusters need none. */
function re2(): typeof RE2JS {
  library ??= (createRequire(import.meta.url)('re2js') as { RE2JS: typeof RE2JS }).RE2JS;
  return library;
}

/** Compiles an expression. @throws {Error} with the message of Go's `regexp` if it is invalid. */
export function compileExpression(pattern: string): RegularExpression {
  const compiled = cached(pattern);
  if (compiled instanceof Error) throw compiled;
  return compiled;
}

/** Returns why an expression is invalid, or `undefined` if it is valid. */
export function regexError(pattern: string): string | undefined {
  const compiled = cached(pattern);
  return compiled instanceof Error ? compiled.message : undefined;
}

function cached(pattern: string): RegularExpression | Error {
  const known = cache.get(pattern);
  if (known) return known;
  const compiled = compile(pattern);
  if (cache.size >= CACHE_LIMIT) cache.clear();
  cache.set(pattern, compiled);
  return compiled;
}

function compile(pattern: string): RegularExpression | Error {
  try {
    const expression = re2().compile(pattern);
    return {
      test: (text) => expression.matcher(text).find(),
      findAll: (text, limit = Infinity) => {
        const matcher = expression.matcher(text);
        const found: string[] = [];
        while (found.length < limit && matcher.find()) found.push(matcher.group() ?? '');
        return found;
      },
    };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
