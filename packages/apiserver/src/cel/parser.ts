import type { Token } from './lexer.ts';
import { tokenize } from './lexer.ts';
import type { MacroOptions } from './macros.ts';
import { expandMacro } from './macros.ts';
import { balancedChain, SyntaxDepth } from './syntax-depth.ts';
import type { Expr, Issue, ListLiteral, Literal, MapLiteral } from './syntax.ts';

/** Limits of cel-go. */
const DEPTH_LIMIT = 250;
const LENGTH_LIMIT = 100_000;

/** Offset of an error that refers to the whole expression. */
const NOWHERE = -1;

const START =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

const RESERVED: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

/** Operators by precedence, the weakest first. */
const BINARY: readonly Readonly<Record<string, string>>[] = [
  { '||': '_||_' },
  { '&&': '_&&_' },
  { '<': '_<_', '<=': '_<=_', '>': '_>_', '>=': '_>=_', '==': '_==_', '!=': '_!=_', in: '@in' },
  { '+': '_+_', '-': '_-_' },
  { '*': '_*_', '/': '_/_', '%': '_%_' },
];

/** Number of levels of `||` and `&&`, the weakest operators. */
const LOGICAL_LEVELS = 2;

/** Ends the parsing of an expression at its first error. */
class SyntaxIssue extends Error {
  override readonly name = 'SyntaxIssue';
  readonly issue: Issue;

  constructor(issue: Issue) {
    super(issue.message);
    this.issue = issue;
  }
}

/** Parses an expression of CEL, with the optional syntax, and expands its macros. */
export function parse(
  source: string,
  options: MacroOptions = {},
): { readonly expr: Expr | undefined; readonly issues: readonly Issue[] } {
  if (source.length > LENGTH_LIMIT) {
    const message = `expression code point size exceeds limit: size: ${source.length}, limit ${LENGTH_LIMIT}`;
    return { expr: undefined, issues: [{ at: NOWHERE, message }] };
  }
  const { tokens, issues } = tokenize(source);
  const parser = new Parser(tokens, options);
  try {
    const expr = parser.whole();
    return { expr: issues.length + parser.issues.length > 0 ? undefined : expr, issues: [...issues, ...parser.issues] };
  } catch (error) {
    if (!(error instanceof SyntaxIssue)) throw error;
    return { expr: undefined, issues: [...issues, ...parser.issues, error.issue] };
  }
}

class Parser {
  readonly issues: Issue[] = [];
  readonly #tokens: readonly Token[];
  readonly #tree = new SyntaxDepth();
  #index = 0;
  #depth = 0;

  readonly #options: MacroOptions;

  constructor(tokens: readonly Token[], options: MacroOptions) {
    this.#tokens = tokens;
    this.#options = options;
  }

  whole(): Expr {
    const expr = this.#expr();
    if (this.#next.kind !== 'end') {
      const { text, at } = this.#next;
      const last = this.#tokens[this.#index + 1]?.kind === 'end';
      const problem = last ? 'extraneous' : 'mismatched';
      throw new SyntaxIssue({ at, message: `Syntax error: ${problem} input '${text}' expecting <EOF>` });
    }
    return expr;
  }

  get #next(): Token {
    return this.#tokens[this.#index] ?? { kind: 'end', text: '<EOF>', at: 0 };
  }

  #take(): Token {
    const token = this.#next;
    this.#index += 1;
    return token;
  }

  #is(text: string): boolean {
    const { kind, text: found } = this.#next;
    return found === text && (kind === 'symbol' || kind === 'ident');
  }

  #accept(text: string): Token | undefined {
    return this.#is(text) ? this.#take() : undefined;
  }

  #expect(text: string): Token {
    const token = this.#accept(text);
    if (token) return token;
    const { kind, at } = this.#next;
    if (kind !== 'end') return this.#fail(`'${text}'`);
    throw new SyntaxIssue({ at, message: `Syntax error: missing '${text}' at '<EOF>'` });
  }

  #fail(expected: string): never {
    throw this.#unexpected(expected);
  }

  /** Fails where an expression should start. A single token too many is called so. */
  #failStart(): never {
    const { text, at } = this.#next;
    const following = this.#tokens[this.#index + 1];
    if (!following || !startsExpression(following)) this.#fail(START);
    throw new SyntaxIssue({ at, message: `Syntax error: extraneous input '${text}' expecting ${START}` });
  }

  #unexpected(expected: string): SyntaxIssue {
    const { text, at } = this.#next;
    return new SyntaxIssue({ at, message: `Syntax error: mismatched input '${text}' expecting ${expected}` });
  }

  #expr(): Expr {
    this.#depth += 1;
    if (this.#depth > DEPTH_LIMIT) {
      const message = `expression recursion limit exceeded: ${DEPTH_LIMIT}`;
      throw new SyntaxIssue({ at: NOWHERE, message });
    }
    const condition = this.#binary(0);
    const question = this.#accept('?');
    let expr = condition;
    if (question) {
      const yes = this.#binary(0);
      this.#expect(':');
      const args = [condition, yes, this.#expr()];
      expr = this.#above(args, { kind: 'call', at: question.at, name: '_?_:_', target: undefined, args });
    }
    this.#depth -= 1;
    return expr;
  }

  #binary(level: number): Expr {
    const operators = BINARY[level];
    if (!operators) return this.#unary();
    if (level < LOGICAL_LEVELS) return this.#logical(level, operators);
    let left = this.#binary(level + 1);
    for (;;) {
      const { kind, text, at } = this.#next;
      const isOperator = (kind === 'symbol' || text === 'in') && kind !== 'string' && Object.hasOwn(operators, text);
      const name = isOperator ? operators[text] : undefined;
      if (name === undefined) return left;
      this.#take();
      const args = [left, this.#binary(level + 1)];
      left = this.#above(args, { kind: 'call', at, name, target: undefined, args });
    }
  }

  /** A chain of `||` or `&&`, which counts as one level. */
  #logical(level: number, operators: Readonly<Record<string, string>>): Expr {
    const first = this.#binary(level + 1);
    const [symbol = '', name = ''] = Object.entries(operators)[0] ?? [];
    const terms = [first];
    const positions: number[] = [];
    for (let operator = this.#accept(symbol); operator; operator = this.#accept(symbol)) {
      positions.push(operator.at);
      terms.push(this.#binary(level + 1));
    }
    const chain = balancedChain(name, terms, positions) ?? first;
    return chain === first ? first : this.#above(terms, chain);
  }

  /** Returns a node after a check of its depth. @throws {SyntaxIssue} */
  #above<T extends Expr>(children: readonly (Expr | undefined)[], node: T): T {
    if (this.#tree.add(node, children)) return node;
    throw new SyntaxIssue({ at: NOWHERE, message: 'max recursion depth exceeded' });
  }

  #unary(): Expr {
    for (const [symbol, name] of [
      ['!', '!_'],
      ['-', '-_'],
    ] as const) {
      const first = this.#accept(symbol);
      if (!first) continue;
      let count = 1;
      while (this.#accept(symbol)) count += 1;
      const number = this.#next;
      if (symbol === '-' && count === 1 && (number.kind === 'int' || number.kind === 'double')) {
        this.#take();
        return this.#members(this.#number(number, '-', first.at));
      }
      const operand = this.#members(this.#primary());
      // Pairs of equal operators cancel each other.
      if (count % 2 === 0) return operand;
      const args = [operand];
      return this.#above(args, { kind: 'call', at: first.at, name, target: undefined, args });
    }
    return this.#members(this.#primary());
  }

  #members(start: Expr): Expr {
    let expr = start;
    for (;;) {
      const dot = this.#accept('.');
      if (dot) {
        expr = this.#field(expr, dot);
        continue;
      }
      const bracket = this.#accept('[');
      if (!bracket) return expr;
      const name = this.#accept('?') ? '_[?_]' : '_[_]';
      const args = [expr, this.#expr()];
      expr = this.#above(args, { kind: 'call', at: bracket.at, name, target: undefined, args });
      this.#expect(']');
    }
  }

  #field(operand: Expr, dot: Token): Expr {
    const optional = this.#accept('?');
    const field = this.#take();
    if (field.kind !== 'ident' || field.text === 'in' || isConstant(field.text)) {
      const message =
        field.kind === 'end'
          ? `Syntax error: no viable alternative at input '.'`
          : `Syntax error: no viable alternative at input '.${field.text}'`;
      throw new SyntaxIssue({ at: field.at, message });
    }
    const paren = optional ? undefined : this.#accept('(');
    if (paren) return this.#call(field.text, operand, paren.at);
    if (optional) {
      const name: Expr = { kind: 'literal', at: field.at, type: 'string', value: field.text };
      const args = [operand, name];
      return this.#above(args, { kind: 'call', at: dot.at, name: '_?._', target: undefined, args });
    }
    return this.#above([operand], { kind: 'select', at: dot.at, operand, field: field.text, test: false });
  }

  #call(name: string, target: Expr | undefined, at: number): Expr {
    const args: Expr[] = [];
    if (!this.#accept(')')) {
      do args.push(this.#expr());
      while (this.#accept(','));
      this.#expect(')');
    }
    const children = [target, ...args];
    const call = this.#above(children, { kind: 'call', at, name, target, args } as const);
    const expanded = expandMacro(call, this.issues, this.#options);
    // The depth is that of the text, not of the expansion.
    return expanded ? this.#above(children, expanded) : call;
  }

  #primary(): Expr {
    const token = this.#next;
    switch (token.kind) {
      case 'int':
      case 'uint':
      case 'double':
        this.#take();
        return this.#number(token, '', token.at);
      case 'string':
        this.#take();
        return { kind: 'literal', at: token.at, type: 'string', value: token.text };
      case 'bytes':
        this.#take();
        return { kind: 'literal', at: token.at, type: 'bytes', value: token.bytes ?? new Uint8Array() };
      case 'ident':
        return this.#identifier('');
      case 'symbol':
        return this.#bracketed(token);
      case 'end':
        return this.#failStart();
    }
  }

  #identifier(dot: string): Expr {
    const { text, at } = this.#take();
    if (dot === '' && isConstant(text)) {
      const value = text === 'null' ? null : text === 'true';
      return { kind: 'literal', at, type: text === 'null' ? 'null' : 'bool', value };
    }
    if (text === 'in') {
      this.#index -= 1;
      return this.#failStart();
    }
    const paren = this.#accept('(');
    if (paren) return this.#call(text, undefined, paren.at);
    if (RESERVED.has(text)) this.issues.push({ at, message: `reserved identifier: ${text}` });
    return { kind: 'ident', at, name: text };
  }

  #bracketed(token: Token): Expr {
    switch (token.text) {
      case '(': {
        this.#take();
        const expr = this.#expr();
        this.#expect(')');
        return expr;
      }
      case '.': {
        this.#take();
        if (this.#next.kind !== 'ident') return this.#fail('IDENTIFIER');
        return this.#identifier('.');
      }
      case '[':
        return this.#list();
      case '{':
        return this.#map();
      default:
        return this.#failStart();
    }
  }

  #list(): Expr {
    const { at } = this.#take();
    const items: ListLiteral['items'][number][] = [];
    while (!this.#is(']') && this.#next.kind !== 'end') {
      const optional = this.#accept('?') !== undefined;
      items.push({ value: this.#expr(), optional });
      if (!this.#accept(',')) break;
    }
    this.#expect(']');
    return this.#above(
      items.map(({ value }) => value),
      { kind: 'list', at, items },
    );
  }

  #map(): Expr {
    const { at } = this.#take();
    const entries: MapLiteral['entries'][number][] = [];
    while (!this.#is('}') && this.#next.kind !== 'end') {
      const optional = this.#accept('?') !== undefined;
      const key = this.#expr();
      this.#expect(':');
      entries.push({ key, value: this.#expr(), optional });
      if (!this.#accept(',')) break;
    }
    this.#expect('}');
    return this.#above(
      entries.flatMap(({ key, value }) => [key, value]),
      { kind: 'map', at, entries },
    );
  }

  #number({ kind, text }: Token, sign: '' | '-', at: number): Literal {
    if (kind === 'double') return { kind: 'literal', at, type: 'double', value: Number(sign + text) };
    const digits = BigInt(text.replace(/u$/i, ''));
    const value = sign === '' ? digits : -digits;
    if (kind === 'uint') {
      if (value >= 1n << 64n) this.issues.push({ at, message: 'invalid uint literal' });
      return { kind: 'literal', at, type: 'uint', value };
    }
    if (value >= 1n << 63n || value < -(1n << 63n)) this.issues.push({ at, message: 'invalid int literal' });
    return { kind: 'literal', at, type: 'int', value };
  }
}

function startsExpression({ kind, text }: Token): boolean {
  if (kind === 'symbol') return ['[', '{', '(', '.', '-', '!'].includes(text);
  return kind !== 'end' && !(kind === 'ident' && text === 'in');
}

function isConstant(text: string): boolean {
  return text === 'true' || text === 'false' || text === 'null';
}
