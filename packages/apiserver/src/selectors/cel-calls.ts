import { celTokens, type Token } from './cel-tokens.ts';

/** An expression of the subset of CEL that shard selectors need: calls, paths and literals, joined by `||` and `&&`. */
export type CelExpression =
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly CelExpression[] }
  /** An identifier, or a selection such as `object.metadata.uid`. */
  | { readonly kind: 'path'; readonly text: string }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'number'; readonly value: string };

/** Names of the operators in the syntax tree of CEL. */
const JOINS: Readonly<Record<string, string>> = { '||': '_||_', '&&': '_&&_' };

/** The text is not an expression of the subset. */
export class CelSyntaxError extends Error {
  override readonly name = 'CelSyntaxError';
}

/** Parses an expression. Operators of the same chain associate to the left. @throws {CelSyntaxError} */
export function parseCel(text: string): CelExpression {
  const tokens = celTokens(text);
  if (!tokens) throw new CelSyntaxError('token recognition error');
  const reader = new TokenReader(tokens);
  const expression = parseChain(reader);
  reader.expect('<EOF>');
  return expression;
}

class TokenReader {
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  take(): Token {
    const token = this.#tokens[this.#next] ?? { type: 'end', text: '<EOF>', position: 0 };
    this.#next += 1;
    return token;
  }

  /** Takes the next token if it is this operator. */
  takeIf(operator: string): boolean {
    const token = this.#tokens[this.#next];
    const isIt = token?.type === 'operator' && token.text === operator;
    if (isIt) this.#next += 1;
    return isIt;
  }

  expect(text: string): void {
    const token = this.take();
    if ((token.type !== 'operator' && token.type !== 'end') || token.text !== text) throw unexpected(token);
  }
}

function parseChain(reader: TokenReader): CelExpression {
  let expression = parseTerm(reader);
  for (;;) {
    const operator = Object.keys(JOINS).find((candidate) => reader.takeIf(candidate));
    if (operator === undefined) return expression;
    expression = { kind: 'call', name: JOINS[operator] ?? operator, args: [expression, parseTerm(reader)] };
  }
}

function parseTerm(reader: TokenReader): CelExpression {
  const token = reader.take();
  if (token.type === 'string') return { kind: 'string', value: token.text };
  if (token.type === 'number') return { kind: 'number', value: token.text };
  if (token.type !== 'identifier') throw unexpected(token);
  if (reader.takeIf('(')) return { kind: 'call', name: token.text, args: parseArguments(reader) };
  let path = token.text;
  while (reader.takeIf('.')) {
    const field = reader.take();
    if (field.type !== 'identifier') throw unexpected(field);
    path += `.${field.text}`;
  }
  return { kind: 'path', text: path };
}

function parseArguments(reader: TokenReader): readonly CelExpression[] {
  if (reader.takeIf(')')) return [];
  const args = [parseChain(reader)];
  while (reader.takeIf(',')) args.push(parseChain(reader));
  reader.expect(')');
  return args;
}

function unexpected({ text, position }: Token): CelSyntaxError {
  return new CelSyntaxError(`unexpected '${text}' at position ${position}`);
}
