const SYNTAX = '^$\\.*+?()[]{}|/';

/** Escapes whose meaning is the same in Go and JavaScript. */
const SHARED_ESCAPES = 'dDwWbBtnrfvx';

/** Go's `\s` has no other white space. */
const SPACE = '\\t\\n\\f\\r ';

/**
 * Translates a pattern of the server, in the syntax of Go's `regexp`, to a regular expression of JavaScript that matches the
 * same texts.
 *
 * @returns `undefined` if JavaScript has no equivalent, for example for flags and classes such as `[[:alpha:]]`.
 */
export function clientPattern(pattern: string): RegExp | undefined {
  const source = translate(pattern);
  if (source === undefined) return undefined;
  try {
    return new RegExp(source, 'u');
  } catch {
    return undefined;
  }
}

function translate(pattern: string): string | undefined {
  let result = '';
  let isClass = false;
  const characters = Array.from(pattern);
  for (let position = 0; position < characters.length; position += 1) {
    const character = characters[position] ?? '';
    const next = characters[position + 1] ?? '';
    if (character === '\\') {
      const text = escape(next, isClass);
      if (text === undefined) return undefined;
      result += text;
      position += 1;
    } else if (isClass) {
      // `[` begins a named class in Go, or is a character.
      if (character === '[' && next === ':') return undefined;
      if (character === ']') isClass = false;
      result += character === '[' ? '\\[' : character;
    } else if (character === '[') {
      isClass = true;
      const isNegated = next === '^';
      const first = characters[position + (isNegated ? 2 : 1)];
      result += isNegated ? '[^' : '[';
      position += isNegated ? 1 : 0;
      if (first === ']') {
        result += '\\]';
        position += 1;
      }
    } else if (character === '(' && next === '?') {
      if (characters[position + 2] !== ':') return undefined;
      result += '(?:';
      position += 2;
    } else result += character === '.' ? '[^\\n]' : character;
  }
  return result;
}

function escape(character: string, isClass: boolean): string | undefined {
  if (character === 's') return isClass ? SPACE : `[${SPACE}]`;
  if (character === 'S') return isClass ? undefined : `[^${SPACE}]`;
  if (character === 'A' && !isClass) return '^';
  if (character === 'z' && !isClass) return '$';
  if (SHARED_ESCAPES.includes(character) && character !== '') return `\\${character}`;
  if (/[\p{L}\p{N}]/u.test(character) || character === '') return undefined;
  if (SYNTAX.includes(character) || (isClass && character === '-')) return `\\${character}`;
  return character;
}
