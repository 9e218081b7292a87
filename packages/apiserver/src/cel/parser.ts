import type { Token } from './lexer.ts';
import { tokenize } from './lexer.ts';
import type { MacroOptions } from './macros.ts';
import { expandMacro } from './macros.ts';
import { balancedChain, SyntaxDepth } from './syntax-depth.ts';
import type { Expr, Issue, ListLiteral, Literal, MapLiteral, MessageField } from './syntax.ts';
import {
  ARGUMENTS_START,
  FIELDS_START,
  INDEX_START,
  isFieldName,
  isName,
  LIST_START,
  MAP_START,
  START,
  startsOperand,
  SyntaxIssue,
  TokenReader,
} from './token-reader.ts';

/** Limits of cel-go. */
const DEPTH_LIMIT = 250;
const LENGTH_LIMIT = 100_000;

/** Offset of an error that refers to the whole expression. */
const NOWHERE = -1;

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
  const reader = new TokenReader(source, tokens);
  const parser = new Parser(reader, options);
  const found = (): readonly Issue[] => [...issues, ...reader.issues, ...parser.issues];
  try {
    const expr = parser.whole();
    return { expr: found().length > 0 ? undefined : expr, issues: found() };
  } catch (error) {
    if (!(error instanceof SyntaxIssue)) throw error;
    return { expr: undefined, issues: [...found(), error.issue] };
  }
}

class Parser {
  /** Errors that are not errors of the syntax. */
  readonly issues: Issue[] = [];
  readonly #reader: TokenReader;
  readonly #options: MacroOptions;
  readonly #tree = new SyntaxDepth();
  #depth = 0;

  constructor(reader: TokenReader, options: MacroOptions) {
    this.#reader = reader;
    this.#options = options;
  }

  whole(): Expr {
    const expr = this.#expr();
    const reader = this.#reader;
    if (reader.next.kind !== 'end') {
      reader.reportNext(reader.peek(1).kind === 'end' ? 'extraneous' : 'mismatched', '<EOF>');
    }
    return expr;
  }

  #expr(): Expr {
    this.#depth += 1;
    if (this.#depth > DEPTH_LIMIT) {
      const message = `expression recursion limit exceeded: ${DEPTH_LIMIT}`;
      throw new SyntaxIssue({ at: NOWHERE, message });
    }
    const condition = this.#binary(0);
    const question = this.#reader.accept('?');
    let expr = condition;
    if (question) {
      const yes = this.#reader.before([':'], () => this.#binary(0));
      if (this.#reader.expect(':', 'operand')) {
        const args = [condition, yes, this.#expr()];
        expr = this.#above(args, { kind: 'call', at: question.at, name: '_?_:_', target: undefined, args });
      }
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
      const { kind, text, at } = this.#reader.next;
      const isOperator = (kind === 'symbol' || text === 'in') && kind !== 'string' && Object.hasOwn(operators, text);
      const name = isOperator ? operators[text] : undefined;
      if (name === undefined) return left;
      this.#reader.take();
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
    for (let operator = this.#reader.accept(symbol); operator; operator = this.#reader.accept(symbol)) {
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
    const reader = this.#reader;
    if (!reader.synchronize(START)) return missing(reader.next);
    if (reader.is('!')) return this.#negation();
    return reader.is('-') ? this.#minus() : this.#members(this.#primary());
  }

  #negation(): Expr {
    const reader = this.#reader;
    const first = reader.take();
    let count = 1;
    while (reader.accept('!')) count += 1;
    if (reader.is('-')) return this.#negated(first, count);
    if (!startsMember(reader.next)) {
      reader.reportNext('extraneous', START.text);
      reader.skip();
      return missing(first);
    }
    return this.#sign(first, '!_', count);
  }

  /** Only a negative number can follow `!`. */
  #negated(first: Token, count: number): Expr {
    const reader = this.#reader;
    const number = reader.peek(1);
    if (number.kind !== 'int' && number.kind !== 'double') {
      reader.reportNoRule(1);
      reader.skip();
      return missing(first);
    }
    const sign = reader.take();
    reader.take();
    return this.#sign(first, '!_', count, this.#number(number, '-', sign.at));
  }

  #minus(): Expr {
    const reader = this.#reader;
    const first = reader.next;
    let count = 0;
    while (reader.is('-')) {
      const following = reader.peek(1);
      if (!startsMember(following) && !(following.kind === 'symbol' && following.text === '-')) {
        // The sign is read again as an operator without a left operand.
        reader.reportNoRule(1);
        reader.skip();
        return missing(first);
      }
      reader.take();
      count += 1;
    }
    const number = reader.next;
    if (count === 1 && (number.kind === 'int' || number.kind === 'double')) {
      reader.take();
      return this.#members(this.#number(number, '-', first.at));
    }
    return this.#sign(first, '-_', count);
  }

  /** Pairs of equal operators cancel each other. */
  #sign({ at }: Token, name: string, count: number, start?: Expr): Expr {
    const operand = this.#members(start ?? this.#primary());
    if (count % 2 === 0) return operand;
    const args = [operand];
    return this.#above(args, { kind: 'call', at, name, target: undefined, args });
  }

  #members(start: Expr): Expr {
    const reader = this.#reader;
    let expr = start;
    for (;;) {
      if (reader.is('.')) {
        const field = this.#field(expr);
        if (!field) return expr;
        expr = field;
        continue;
      }
      const bracket = reader.accept('[');
      if (!bracket) return expr;
      if (!reader.synchronize(INDEX_START)) return expr;
      const name = reader.accept('?') ? '_[?_]' : '_[_]';
      const args = [expr, reader.before([']'], () => this.#expr())];
      expr = this.#above(args, { kind: 'call', at: bracket.at, name, target: undefined, args });
      reader.expect(']', 'operator');
    }
  }

  #field(operand: Expr): Expr | undefined {
    const reader = this.#reader;
    const isOptional = isQuestion(reader.peek(1));
    if (!isOptional && !isFieldName(reader.peek(1))) {
      this.#refuseName(reader.peek(1));
      return undefined;
    }
    const dot = reader.take();
    if (isOptional) reader.take();
    if (!isFieldName(reader.next)) {
      this.#refuseFieldName();
      return undefined;
    }
    const field = this.#fieldName();
    const paren = isOptional || field.kind === 'quoted' ? undefined : reader.accept('(');
    if (paren) return this.#call(field.text, operand, paren.at);
    if (isOptional) {
      const name: Expr = { kind: 'literal', at: field.at, type: 'string', value: field.text };
      const args = [operand, name];
      return this.#above(args, { kind: 'call', at: dot.at, name: '_?._', target: undefined, args });
    }
    return this.#above([operand], { kind: 'select', at: dot.at, operand, field: field.text, test: false });
  }

  /** Reports that no name follows a dot. @param token the one after the dot. */
  #refuseName({ kind, text, at }: Token): void {
    const reader = this.#reader;
    if (kind === 'ident' && isConstant(text)) {
      reader.report(at, `mismatched input '${text}' expecting IDENTIFIER`);
    } else {
      reader.reportNoRule(1);
    }
    reader.skip();
  }

  /** Reports that no name follows a question mark. */
  #refuseFieldName(): void {
    const reader = this.#reader;
    reader.reportNext('mismatched', '{IDENTIFIER, ESC_IDENTIFIER}');
    this.issues.push({ at: reader.next.at, message: 'unsupported ident kind' });
    reader.skip(MEMBER);
  }

  /** Takes the name of a field. kube-apiserver does not enable names in backquotes. */
  #fieldName(): Token {
    const name = this.#reader.take();
    if (name.kind === 'quoted') this.issues.push({ at: name.at, message: "unsupported syntax: '`'" });
    return name;
  }

  #call(name: string, target: Expr | undefined, at: number): Expr {
    const reader = this.#reader;
    const args: Expr[] = [];
    if (!reader.synchronize(ARGUMENTS_START, MEMBER)) return missing(reader.next);
    if (!reader.accept(')')) {
      do args.push(reader.before([',', ')'], () => this.#expr()));
      while (reader.accept(','));
      reader.expect(')', 'operator');
    }
    const children = [target, ...args];
    const call = this.#above(children, { kind: 'call', at, name, target, args } as const);
    const expanded = expandMacro(call, this.issues, this.#options);
    // The depth is that of the text, not of the expansion.
    return expanded ? this.#above(children, expanded) : call;
  }

  #primary(): Expr {
    const reader = this.#reader;
    const token = reader.next;
    switch (token.kind) {
      case 'int':
      case 'uint':
      case 'double':
        reader.take();
        return this.#number(token, '', token.at);
      case 'string':
        reader.take();
        return { kind: 'literal', at: token.at, type: 'string', value: token.text };
      case 'bytes':
        reader.take();
        return { kind: 'literal', at: token.at, type: 'bytes', value: token.bytes ?? new Uint8Array() };
      case 'ident':
        return this.#identifier('');
      case 'quoted':
      case 'symbol':
      case 'end':
        return this.#bracketed(token);
    }
  }

  #identifier(dot: '' | '.'): Expr {
    const reader = this.#reader;
    const { text, at } = reader.take();
    if (dot === '' && isConstant(text)) {
      const value = text === 'null' ? null : text === 'true';
      return { kind: 'literal', at, type: text === 'null' ? 'null' : 'bool', value };
    }
    const paren = reader.accept('(');
    if (paren) return this.#call(text, undefined, paren.at);
    const length = this.#lengthOfMessageName();
    if (length !== undefined) return this.#message(dot + text, length);
    if (RESERVED.has(text)) this.issues.push({ at, message: `reserved identifier: ${text}` });
    return { kind: 'ident', at, name: text, ...(dot === '.' && { isAbsolute: true }) };
  }

  /** Returns the number of tokens between an identifier and the brace of a message; `undefined` if it does not begin one. */
  #lengthOfMessageName(): number | undefined {
    const reader = this.#reader;
    let length = 0;
    while (isSymbol(reader.peek(length), '.') && isName(reader.peek(length + 1))) length += 2;
    return isSymbol(reader.peek(length), '{') ? length : undefined;
  }

  /** @param length number of tokens between the first part of the name and the brace. */
  #message(first: string, length: number): Expr {
    const reader = this.#reader;
    let name = first;
    for (let count = 0; count < length; count++) name += reader.take().text;
    const { at } = reader.take();
    const fields: MessageField[] = [];
    if (!reader.synchronize(FIELDS_START, MEMBER)) return missing(reader.next);
    const startsField = (token: Token): boolean => isQuestion(token) || isFieldName(token);
    this.#elements('}', startsField, () => {
      const optional = reader.accept('?') !== undefined;
      const field = this.#fieldName();
      const colon = reader.next.at;
      reader.expect(':', 'operand');
      fields.push({ at: colon, name: field.text, value: reader.before([',', '}'], () => this.#expr()), optional });
    });
    return this.#above(
      fields.map(({ value }) => value),
      { kind: 'message', at, name, fields },
    );
  }

  #bracketed(token: Token): Expr {
    const reader = this.#reader;
    switch (token.text) {
      case '(': {
        reader.take();
        const expr = reader.before([')'], () => this.#expr());
        reader.expect(')', 'operator');
        return expr;
      }
      case '.': {
        const named = reader.peek(1);
        if (!isName(named)) {
          this.#refuseName(named);
          return missing(token);
        }
        reader.take();
        return this.#identifier('.');
      }
      case '[':
        return this.#list();
      case '{':
        return this.#map();
      default:
        reader.reportNext('mismatched', START.text);
        reader.skip();
        return missing(token);
    }
  }

  #list(): Expr {
    const reader = this.#reader;
    const { at } = reader.take();
    const items: ListLiteral['items'][number][] = [];
    if (!reader.synchronize(LIST_START, MEMBER)) return missing(reader.next);
    this.#elements(']', startsElement, () => {
      const optional = reader.accept('?') !== undefined;
      items.push({ value: reader.before([',', ']'], () => this.#expr()), optional });
    });
    return this.#above(
      items.map(({ value }) => value),
      { kind: 'list', at, items },
    );
  }

  #map(): Expr {
    const reader = this.#reader;
    const { at } = reader.take();
    const entries: MapLiteral['entries'][number][] = [];
    if (!reader.synchronize(MAP_START, MEMBER)) return missing(reader.next);
    this.#elements('}', startsElement, () => {
      const optional = reader.accept('?') !== undefined;
      const key = reader.before([':', ',', '}'], () => this.#expr());
      reader.expect(':', 'operand');
      entries.push({ key, value: reader.before([',', '}'], () => this.#expr()), optional });
    });
    return this.#above(
      entries.flatMap(({ key, value }) => [key, value]),
      { kind: 'map', at, entries },
    );
  }

  /** Reads the elements of a literal, and the symbol that ends it. A comma may follow the last one, or be alone. */
  #elements(end: ']' | '}', starts: (token: Token) => boolean, read: () => void): void {
    const reader = this.#reader;
    if (reader.accept(',')) {
      reader.expect(end, 'operator');
      return;
    }
    if (!reader.is(end)) {
      do read();
      while (reader.accept(',') && starts(reader.next));
    }
    if (reader.accept(end)) return;
    if (reader.hasTaken(',')) {
      reader.expect(end, 'operator');
      return;
    }
    const isSingle = reader.peek(1).kind === 'symbol' && reader.peek(1).text === end;
    reader.reportNext(isSingle ? 'extraneous' : 'mismatched', `{'${end}', ','}`);
    reader.skip([end]);
    reader.accept(end);
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

/** Symbols that can follow a primary expression. */
const MEMBER = ['.', '['];

/** Stands for an operand that could not be read. */
function missing({ at }: Token): Expr {
  return { kind: 'literal', at, type: 'null', value: null };
}

function startsMember(token: Token): boolean {
  return startsOperand(token) && !(token.kind === 'symbol' && (token.text === '-' || token.text === '!'));
}

function startsElement(token: Token): boolean {
  return startsOperand(token) || isQuestion(token);
}

function isQuestion(token: Token): boolean {
  return isSymbol(token, '?');
}

function isSymbol({ kind, text }: Token, wanted: string): boolean {
  return kind === 'symbol' && text === wanted;
}

function isConstant(text: string): boolean {
  return text === 'true' || text === 'false' || text === 'null';
}
