/** A node of a parsed expression. */
export type Expr = Literal | Identifier | Select | Call | ListLiteral | MapLiteral | MessageLiteral | Comprehension;

export interface Node {
  /** Offset in the source, in code points, that errors refer to. */
  readonly at: number;
}

interface Identifier extends Node {
  readonly kind: 'ident';
  readonly name: string;
  /** Whether a dot is before the name. */
  readonly isAbsolute?: boolean;
}

export interface Literal extends Node {
  readonly kind: 'literal';
  readonly type: 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'bool' | 'null';
  readonly value: bigint | number | string | boolean | Uint8Array | null;
}

export interface Select extends Node {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  /** Whether only the presence of the field is tested: `has(a.b)`. */
  readonly test: boolean;
}

export interface Call extends Node {
  readonly kind: 'call';
  readonly name: string;
  /** Absent for a global function. */
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

export interface ListLiteral extends Node {
  readonly kind: 'list';
  readonly items: readonly { readonly value: Expr; readonly optional: boolean }[];
}

export interface MapLiteral extends Node {
  readonly kind: 'map';
  readonly entries: readonly { readonly key: Expr; readonly value: Expr; readonly optional: boolean }[];
}

/** A message with values of its fields: `google.protobuf.Duration{seconds: 1}`. */
export interface MessageLiteral extends Node {
  readonly kind: 'message';
  readonly name: string;
  readonly fields: readonly MessageField[];
}

export interface MessageField extends Node {
  readonly name: string;
  readonly value: Expr;
  readonly optional: boolean;
}

/** A loop, to which the macros expand (CEL specification, "Macros"). */
export interface Comprehension extends Node {
  readonly kind: 'fold';
  readonly range: Expr;
  readonly variable: string;
  /** Second variable of the loop: the value, where the first is the index or key. */
  readonly variable2: string | undefined;
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** Name of the accumulator of macros. */
export const RESULT = '@result';

/** An error in an expression, at an offset in code points; -1 for an error in the whole expression. */
export interface Issue {
  readonly at: number;
  readonly message: string;
}

/** Formats errors as cel-go does, with the line of the source. */
export function issueText(source: string, issues: readonly Issue[]): string {
  return [...issues]
    .sort((a, b) => a.at - b.at)
    .map(({ at, message }) => {
      // An empty text has no line.
      if (source === '') return `ERROR: <input>:1:0: ${message}`;
      if (at < 0) return `ERROR: <input>:-1:0: ${message}`;
      const before = Array.from(source).slice(0, at).join('');
      const line = before.split('\n').length;
      const column = Array.from(before.split('\n').at(-1) ?? '').length;
      const text = (source.split('\n')[line - 1] ?? '').replaceAll('\t', ' ');
      return `ERROR: <input>:${line}:${column + 1}: ${message}\n | ${text}\n | ${pointerText(text, column)}`;
    })
    .join('\n');
}

/** Returns the line that points to a column. Characters beyond ASCII have wide dots. */
function pointerText(line: string, column: number): string {
  const letters = Array.from(line);
  const isWide = (letter: string | undefined): boolean => (letter?.codePointAt(0) ?? 0) > 0x7f;
  const dots = letters.slice(0, column).map((letter) => (isWide(letter) ? '．' : '.'));
  return dots.join('') + (isWide(letters[column]) ? '＾' : '^');
}
