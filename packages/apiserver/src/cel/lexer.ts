import type { Issue } from './syntax.ts';

export interface Token {
  readonly kind: 'ident' | 'quoted' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'symbol' | 'end';
  /** Text of an identifier, number or symbol; value of a string. An identifier in backquotes is `quoted`. */
  readonly text: string;
  readonly bytes?: Uint8Array;
  /** Text as written. */
  readonly raw: string;
  /** Offset in code points. */
  readonly at: number;
}

const ESCAPE_SEQUENCE = String.raw`\\(?:[abfnrtv"'\\?\x60]|[0-3][0-7]{2}|[xX][\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8})`;

/** The beginning of an escape sequence, and the character that does not continue it. */
const BROKEN_ESCAPE = String.raw`\\(?:[0-3][0-7]?|[xX][\da-fA-F]?|u[\da-fA-F]{0,3}|U[\da-fA-F]{0,7})?[^\n\r]?`;

/** The beginning of a text in quotes that does not end, or has an unknown escape sequence. */
const BROKEN_TEXT = new RegExp(
  String.raw`^(?:"(?:${ESCAPE_SEQUENCE}|[^"\\\n\r])*|'(?:${ESCAPE_SEQUENCE}|[^'\\\n\r])*)(?:${BROKEN_ESCAPE})?`,
  'u',
);

const PATTERNS: readonly (readonly [Token['kind'] | 'space', RegExp])[] = [
  ['space', /(?:[\t\r\n\f ]|\/\/[^\n]*)+/uy],
  ['string', /(?:[bB]?[rR]?|[rR][bB])(?:"""[^]*?(?<!(?<!\\)\\)"""|'''[^]*?(?<!(?<!\\)\\)''')/uy],
  ['string', /[rR][bB]?(?:"[^"\n\r]*"|'[^'\n\r]*')|[bB][rR](?:"[^"\n\r]*"|'[^'\n\r]*')/uy],
  [
    'string',
    new RegExp(String.raw`[bB]?(?:"(?:${ESCAPE_SEQUENCE}|[^"\\\n\r])*"|'(?:${ESCAPE_SEQUENCE}|[^'\\\n\r])*')`, 'uy'),
  ],
  ['double', /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/uy],
  ['uint', /(?:0x[0-9a-fA-F]+|\d+)[uU]/uy],
  ['int', /0x[0-9a-fA-F]+|\d+/uy],
  ['ident', /[A-Za-z_][A-Za-z0-9_]*/uy],
  ['quoted', /`[\w./ -]+`/uy],
  ['symbol', /&&|\|\||==|!=|<=|>=|[[\]{}().,?:<>+\-*/%!]/uy],
];

/** Splits an expression into tokens; the last one has the kind `end`. */
export function tokenize(source: string): { readonly tokens: Token[]; readonly issues: Issue[] } {
  const tokens: Token[] = [];
  const issues: Issue[] = [];
  let index = 0;
  let at = 0;
  while (index < source.length) {
    const found = matchAt(source, index);
    if (!found) {
      const letter = String.fromCodePoint(source.codePointAt(index) ?? 0);
      // A text without an end reaches to the end of the line, an identifier in backquotes to the first other character, and an
      // operator without its second character to the next one.
      const pattern = /^['"]/u.test(letter) ? BROKEN_TEXT : /^(?:`[\w./ -]*[^]?|[=&|][^]?|[^])/u;
      const text = pattern.exec(source.slice(index))?.[0] ?? letter;
      issues.push({ at, message: `Syntax error: token recognition error at: '${text}'` });
      index += text.length;
      at += Array.from(text).length;
      continue;
    }
    const [kind, text] = found;
    if (kind !== 'space') tokens.push(tokenOf(kind, text, at, issues));
    index += text.length;
    at += Array.from(text).length;
  }
  tokens.push({ kind: 'end', text: '<EOF>', raw: '<EOF>', at });
  return { tokens, issues };
}

function matchAt(source: string, index: number): readonly [Token['kind'] | 'space', string] | undefined {
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = index;
    const text = pattern.exec(source)?.[0];
    if (text) return [kind, text];
  }
  return undefined;
}

function tokenOf(kind: Token['kind'], text: string, at: number, issues: Issue[]): Token {
  if (kind !== 'string') return { kind, text, raw: text, at };
  const prefix = (/^[bBrR]*/.exec(text)?.[0] ?? '').toLowerCase();
  const quoted = text.slice(prefix.length);
  const width = /^(?:"""|''')/.test(quoted) ? 3 : 1;
  const body = quoted.slice(width, -width);
  const isBytes = prefix.includes('b');
  try {
    if (!isBytes) return { kind, text: prefix.includes('r') ? body : unescaped(body), raw: text, at };
    const bytes = prefix.includes('r') ? Buffer.from(body) : unescapedBytes(body);
    return { kind: 'bytes', text: '', bytes, raw: text, at };
  } catch (error) {
    issues.push({ at, message: error instanceof Error ? error.message : String(error) });
    return { kind, text: '', raw: text, at };
  }
}

const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|X([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))/gsu;
const SIMPLE: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
  "'": "'",
  '`': '`',
  '?': '?',
};

interface Escape {
  readonly code: number;
  /** Whether the code is that of a byte, in a literal of bytes. */
  readonly byte: boolean;
}

function escapeOf(groups: readonly (string | undefined)[]): Escape {
  const [hex, hexUpper, unicode, long, octal, letter] = groups;
  const byte = hex ?? hexUpper;
  if (byte !== undefined) return { code: Number.parseInt(byte, 16), byte: true };
  if (octal !== undefined) return { code: Number.parseInt(octal, 8), byte: true };
  const wide = unicode ?? long;
  if (wide !== undefined) {
    const code = Number.parseInt(wide, 16);
    if (code > 0x10_ff_ff || (code >= 0xd8_00 && code < 0xe0_00)) throw new Error('invalid unicode code point');
    return { code, byte: false };
  }
  const simple = SIMPLE[letter ?? ''];
  if (simple === undefined) throw new Error('unable to unescape string');
  return { code: simple.charCodeAt(0), byte: false };
}

function unescaped(body: string): string {
  return body.replaceAll(ESCAPE, (_, ...groups: (string | undefined)[]) =>
    String.fromCodePoint(escapeOf(groups.slice(0, 6)).code),
  );
}

function unescapedBytes(body: string): Uint8Array {
  const parts: Uint8Array[] = [];
  let last = 0;
  for (const match of body.matchAll(ESCAPE)) {
    parts.push(Buffer.from(body.slice(last, match.index)));
    const { code, byte } = escapeOf(match.slice(1, 7));
    parts.push(byte ? Uint8Array.of(code) : Buffer.from(String.fromCodePoint(code)));
    last = match.index + match[0].length;
  }
  parts.push(Buffer.from(body.slice(last)));
  return Buffer.concat(parts);
}
