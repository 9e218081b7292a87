import type { Token } from './lexer.ts';
import type { Issue } from './syntax.ts';

/** Limit of cel-go. */
const RECOVERY_LIMIT = 30;

/** Tokens that can follow an operand in any place. */
const OPERATORS: ReadonlySet<string> = new Set('* / % + - < <= > >= == != in && || ?'.split(' '));

const OPERAND = "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** A place with tokens that can start it. */
interface Start {
  /** Tokens that can start the place, as cel-go lists them. */
  readonly text: string;
  /** Symbols that can be in the place, beside the tokens of `starts`. */
  readonly others: readonly string[];
  /** Reports whether a token can start the place. Default: whether an expression can start with it. */
  readonly starts?: (token: Token) => boolean;
}

export const START: Start = { text: `{'[', '{', '(', '.', '-', '!', ${OPERAND}`, others: [] };
export const INDEX_START: Start = { text: `{'[', '{', '(', '.', '-', '!', '?', ${OPERAND}`, others: ['?'] };
export const ARGUMENTS_START: Start = { text: `{'[', '{', '(', ')', '.', '-', '!', ${OPERAND}`, others: [')'] };
export const LIST_START: Start = {
  text: `{'[', ']', '{', '(', '.', ',', '-', '!', '?', ${OPERAND}`,
  others: [']', ',', '?'],
};
export const MAP_START: Start = {
  text: `{'[', '{', '}', '(', '.', ',', '-', '!', '?', ${OPERAND}`,
  others: ['}', ',', '?'],
};

export const FIELDS_START: Start = {
  text: "{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}",
  others: ['}', ',', '?'],
  starts: isFieldName,
};

/** Ends the parsing of an expression. */
export class SyntaxIssue extends Error {
  override readonly name = 'SyntaxIssue';
  readonly issue: Issue;

  constructor(issue: Issue) {
    super(issue.message);
    this.issue = issue;
  }
}

/**
 * Reads the tokens of an expression, and recovers from errors as the parser of cel-go does. (Upstream:
 * `DefaultErrorStrategy` of ANTLR.)
 */
export class TokenReader {
  readonly issues: Issue[] = [];
  readonly #source: string;
  readonly #tokens: readonly Token[];
  readonly #closers: string[] = [];
  #index = 0;
  /** Set from an error until the next token that is expected: errors between them are consequences. */
  #isRecovering = false;
  #recoveries = 0;

  /** @param tokens the last one has the kind `end`. */
  constructor(source: string, tokens: readonly Token[]) {
    this.#source = source;
    this.#tokens = tokens;
  }

  get next(): Token {
    return this.peek(0);
  }

  /** Returns the token that is `distance` tokens behind the next one. */
  peek(distance: number): Token {
    return this.#tokens[this.#index + distance] ?? (this.#tokens.at(-1) as Token);
  }

  /** Takes a token that is expected. */
  take(): Token {
    const token = this.next;
    this.#index += 1;
    this.#isRecovering = false;
    return token;
  }

  /** Reports whether the token before the next one is a symbol. */
  hasTaken(text: string): boolean {
    return isSymbol(this.peek(-1), text);
  }

  is(text: string): boolean {
    return isSymbol(this.next, text);
  }

  accept(text: string): Token | undefined {
    return this.is(text) ? this.take() : undefined;
  }

  /**
   * Takes a symbol. Reports an error if there is another token.
   *
   * @param before kind of the token after the symbol.
   * @returns whether reading can go on after the symbol. If not, tokens are skipped.
   */
  expect(text: string, before: 'operand' | 'operator'): boolean {
    if (this.accept(text)) return true;
    if (isSymbol(this.peek(1), text)) {
      this.reportNext('extraneous', `'${text}'`);
      this.#index += 1;
      this.take();
      return true;
    }
    const isMissing = before === 'operand' ? startsOperand(this.next) : this.#followsOperand(this.next);
    if (isMissing) {
      this.report(this.next.at, `missing '${text}' at ${quoted(this.next.raw)}`);
      return true;
    }
    this.reportNext('mismatched', `'${text}'`);
    this.skip();
    return false;
  }

  /** Reads something that ends before one of some symbols, which end the recovery from errors in it. */
  before<T>(closers: readonly string[], read: () => T): T {
    this.#closers.push(...closers);
    const result = read();
    this.#closers.length -= closers.length;
    return result;
  }

  /**
   * Reports an error if the next token cannot start a place. A single token before one that can is skipped.
   *
   * @returns whether the next token can start it. If not, tokens are skipped to one that can follow it.
   */
  synchronize(start: Start, alsoFollowing: readonly string[] = []): boolean {
    if (canStart(this.next, start)) return true;
    if (!this.#isRecovering) {
      if (canStart(this.peek(1), start)) {
        this.reportNext('extraneous', start.text);
        this.take();
        return true;
      }
      this.reportNext('mismatched', start.text);
    }
    this.skip(alsoFollowing);
    return false;
  }

  /** Reports that no rule matches the text from the next token to the one that is `distance` tokens behind it. */
  reportNoRule(distance: number): void {
    const last = this.peek(distance);
    const end = last.kind === 'end' ? this.peek(distance - 1) : last;
    const text = Array.from(this.#source).slice(this.next.at, end.at).join('') + end.raw;
    this.report(last.at, `no viable alternative at input ${quoted(text)}`);
  }

  reportNext(problem: 'mismatched' | 'extraneous', expected: string): void {
    this.report(this.next.at, `${problem} input ${quoted(this.next.raw)} expecting ${expected}`);
  }

  report(at: number, message: string): void {
    if (this.#isRecovering) return;
    this.#isRecovering = true;
    this.issues.push({ at, message: `Syntax error: ${message}` });
  }

  /** Skips to a token that can follow what could not be read. @throws {SyntaxIssue} at the limit of cel-go. */
  skip(alsoFollowing: readonly string[] = []): void {
    if (this.#recoveries === RECOVERY_LIMIT) {
      const message = `Syntax error: error recovery attempt limit exceeded: ${RECOVERY_LIMIT}`;
      throw new SyntaxIssue({ at: this.next.at, message });
    }
    this.#recoveries += 1;
    while (this.next.kind !== 'end' && !this.#canFollow(this.next, alsoFollowing)) this.#index += 1;
  }

  #followsOperand(token: Token): boolean {
    return token.kind === 'end' ? this.#closers.length === 0 : this.#canFollow(token, ['.', '[']);
  }

  #canFollow({ kind, text }: Token, others: readonly string[]): boolean {
    if (kind !== 'symbol' && text !== 'in') return false;
    return OPERATORS.has(text) || this.#closers.includes(text) || others.includes(text);
  }
}

/** Quotes a text as ANTLR does in errors of its parser. */
function quoted(text: string): string {
  return `'${text
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\r', String.raw`\r`)
    .replaceAll('\t', String.raw`\t`)}'`;
}

function isSymbol({ kind, text }: Token, wanted: string): boolean {
  return text === wanted && (kind === 'symbol' || kind === 'ident');
}

function canStart(token: Token, { others, starts = startsOperand }: Start): boolean {
  return starts(token) || (token.kind === 'symbol' && others.includes(token.text));
}

/** Reports whether an expression can start with a token. */
export function startsOperand({ kind, text }: Token): boolean {
  if (kind === 'symbol') return ['[', '{', '(', '.', '-', '!'].includes(text);
  return kind !== 'end' && kind !== 'quoted' && !(kind === 'ident' && text === 'in');
}

/** Reports whether a token is an identifier that is neither an operator nor a constant. */
export function isName({ kind, text }: Token): boolean {
  return kind === 'ident' && !['in', 'true', 'false', 'null'].includes(text);
}

/** Reports whether a token can name a field. */
export function isFieldName(token: Token): boolean {
  return token.kind === 'quoted' || isName(token);
}
