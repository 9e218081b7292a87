import type { LabelSelector } from '@mcr/client';
import { labelValueErrors, qualifiedNameErrors } from '../resources/names.ts';
import { goQuote } from '../go-quote.ts';
import { badRequest } from '../status.ts';
import type { StatusError } from '../status.ts';

type Requirement = LabelSelector[number];

const OPERATORS = 'in, notin, =, ==, !=, gt, lt';
const SYMBOLS = ['==', '!=', '=', '!', '(', ')', ',', '>', '<'] as const;

/** Parses the label selector of a query. Messages follow `k8s.io/apimachinery/pkg/labels`. */
class Parser {
  readonly #tokens: readonly string[];
  #next = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  parse(): LabelSelector {
    const requirements: Requirement[] = [];
    for (;;) {
      const first = this.#peek();
      if (first === '') return requirements;
      if (first !== '!' && !isIdentifier(first))
        throw badRequest(`found '${first}', expected: !, identifier, or 'end of string'`);
      requirements.push(this.#requirement());
      const after = this.#take();
      if (after === '') return requirements;
      if (after !== ',') throw badRequest(`found '${after}', expected: ',' or 'end of string'`);
      const following = this.#peek();
      if (following !== '!' && !isIdentifier(following)) {
        throw badRequest(`found '${following}', expected: identifier after ','`);
      }
    }
  }

  #peek(): string {
    return this.#tokens[this.#next] ?? '';
  }

  #take(): string {
    const token = this.#peek();
    this.#next += 1;
    return token;
  }

  #requirement(): Requirement {
    let absent = false;
    if (this.#peek() === '!') {
      this.#take();
      absent = true;
    }
    const key = this.#take();
    if (!isIdentifier(key)) throw refused(`found '${key}', expected: identifier`);
    const [fault] = qualifiedNameErrors(key);
    if (fault !== undefined) throw refused(`<nil>: Invalid value: ${goQuote(key)}: ${fault}`);
    const following = this.#peek();
    if (following === '' || following === ',') return { key, operator: absent ? 'DoesNotExist' : 'Exists', values: [] };
    const operator = this.#take();
    switch (operator) {
      case '=':
      case '==':
        return checked({ key, operator: 'In', values: [this.#exact()] });
      case '!=':
        return checked({ key, operator: 'NotIn', values: [this.#exact()] });
      case '>':
      case '<':
        return checked({ key, operator: operator === '>' ? 'Gt' : 'Lt', values: [this.#exact()] });
      case 'in':
      case 'notin':
        return checked({ key, operator: operator === 'in' ? 'In' : 'NotIn', values: this.#values() });
      default:
        throw refused(`found '${operator}', expected: ${OPERATORS}`);
    }
  }

  #exact(): string {
    const following = this.#peek();
    if (following === '' || following === ',') return '';
    const value = this.#take();
    if (isWord(value)) return value;
    throw refused(`found '${value}', expected: identifier`);
  }

  #values(): string[] {
    const open = this.#take();
    if (open !== '(') throw refused(`found '${open}' expected: '('`);
    const values = new Set<string>();
    if (this.#peek() === ')') {
      this.#take();
      return [''];
    }
    if (!isWord(this.#peek()) && this.#peek() !== ',')
      throw refused(`found '${this.#take()}', expected: ',', ')' or identifier`);
    let expectsValue = true;
    for (;;) {
      const token = this.#take();
      if (isWord(token)) {
        values.add(token);
        expectsValue = false;
        const after = this.#peek();
        if (after !== ',' && after !== ')') throw refused(`found '${after}', expected: ',' or ')'`);
      } else if (token === ',') {
        if (expectsValue) values.add('');
        expectsValue = true;
        if (this.#peek() === ')') values.add('');
      } else if (token === ')') {
        return [...values].sort();
      } else {
        throw refused(`found '${token}', expected: ',', or identifier`);
      }
    }
  }
}

/** @throws {StatusError} 400 if a text is not a label selector. */
export function parseLabels(text: string): LabelSelector {
  return new Parser(text).parse();
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  let rest = text.trimStart();
  while (rest !== '') {
    const symbol = SYMBOLS.find((candidate) => rest.startsWith(candidate));
    const token = symbol ?? /^[^\s=!(),<>]+/u.exec(rest)?.[0] ?? rest;
    tokens.push(token);
    rest = rest.slice(token.length).trimStart();
  }
  return tokens;
}

function isWord(token: string): boolean {
  return token !== '' && !SYMBOLS.some((symbol) => symbol === token);
}

/** Reports whether a token is a key. `in` and `notin` are keywords only after a key. */
function isIdentifier(token: string): boolean {
  return isWord(token);
}

function checked(requirement: Requirement): Requirement {
  const { key, operator, values } = requirement;
  if (operator === 'Gt' || operator === 'Lt') {
    for (const [index, value] of values.entries()) {
      if (!/^[+-]?\d{1,19}$/u.test(value)) {
        throw refused(
          `values[${index}]: Invalid value: ${goQuote(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
        );
      }
    }
  }
  for (const [index, value] of values.entries()) {
    const [fault] = labelValueErrors(value);
    if (fault !== undefined) throw refused(`values[${index}][${key}]: Invalid value: ${goQuote(value)}: ${fault}`);
  }
  return requirement;
}

function refused(why: string): StatusError {
  return badRequest(`unable to parse requirement: ${why}`);
}
