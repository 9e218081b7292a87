/** Returns a string literal with the quotes that need the fewest escapes, and single quotes otherwise. */
export function stringLiteral(text: string): string {
  const quote = count(text, "'") > count(text, '"') ? '"' : "'";
  let result = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (character === quote || character === '\\') result += `\\${character}`;
    else result += ESCAPES[character] ?? (isHidden(code) ? escaped(code) : character);
  }
  return `${quote}${result}${quote}`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}

/** Control characters, characters that end a line or change the direction of text, halves of surrogate pairs. */
function isHidden(code: number): boolean {
  return /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(String.fromCodePoint(code));
}

function escaped(code: number): string {
  if (code > 0xffff) return `\\u{${code.toString(16)}}`;
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Returns a name as a key of an interface. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : stringLiteral(name);
}

/** Returns a name as a key of an object literal, where a plain `__proto__: x` sets the prototype. */
export function keyName(name: string): string {
  return name === '__proto__' ? "['__proto__']" : propertyName(name);
}

/** Returns the lines of a doc comment, without indentation; none for an empty text. */
export function docComment(text: string | undefined): string[] {
  const lines = (text ?? '')
    // A description must not end the comment.
    .replaceAll('*/', '*\\/')
    // Tags such as `@deprecated` and `@internal` would mean something to compilers and linters.
    .replaceAll(/(?<!\S)@(?=[A-Za-z])/g, '\\@')
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => Array.from(line, visible).join('').trimEnd());
  while (lines[0] === '') lines.shift();
  while (lines.at(-1) === '') lines.pop();
  const [first, ...others] = lines;
  if (first === undefined) return [];
  // `/***/` and `/**/` are not doc comments.
  if (others.length === 0 && first.length <= MAX_COMMENT) return [`/** ${first} */`];
  return ['/**', ...lines.map((line) => (line === '' ? ' *' : ` * ${line}`)), ' */'];
}

const MAX_COMMENT = 100;

function visible(character: string): string {
  return character !== '\t' && isHidden(character.codePointAt(0) ?? 0) ? '' : character;
}
