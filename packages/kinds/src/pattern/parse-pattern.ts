import type { CharRange, Expression } from './expression.ts';
import { complement, DIGITS, merged, NOT_LINE_END, SPACE, WORD } from './expression.ts';
import { UnsupportedPatternError } from './unsupported-pattern-error.ts';

const MAX_SOURCE_LENGTH = 10_000;
const MAX_DEPTH = 100;

/**
 * Parses a regular expression of JavaScript.
 *
 * @throws {UnsupportedPatternError} for what RE2, the engine of API servers, does not have: flags, lookarounds, references.
 */
export function parsePattern({ source, flags }: RegExp): Expression {
  const others = flags.replace('u', '');
  if (others !== '') {
    const remedy = others.includes('i') ? 'list both cases, such as [aA]' : 'write the expression without flags';
    throw new UnsupportedPatternError(`the flag ${others} of /${source}/ does not exist on the server`, remedy);
  }
  if (source.length > MAX_SOURCE_LENGTH) {
    throw new UnsupportedPatternError(
      `the expression has ${source.length} characters, and at most ${MAX_SOURCE_LENGTH} are supported`,
      'shorten it',
    );
  }
  return new PatternParser(source, flags.includes('u')).parse();
}

/** JavaScript has checked the syntax before. */
class PatternParser {
  readonly #source: string;
  readonly #characters: readonly string[];
  #position = 0;
  #depth = 0;

  constructor(source: string, isUnicode: boolean) {
    this.#source = source;
    this.#characters = isUnicode ? Array.from(source) : source.split('');
  }

  parse(): Expression {
    return this.#choice();
  }

  #peek(offset = 0): string {
    return this.#characters[this.#position + offset] ?? '';
  }

  #next(): string {
    const character = this.#peek();
    this.#position += 1;
    return character;
  }

  #take(text: string): boolean {
    const found = this.#characters.slice(this.#position, this.#position + text.length).join('') === text;
    if (found) this.#position += text.length;
    return found;
  }

  #refuse(what: string, remedy: string): never {
    throw new UnsupportedPatternError(`${what} in /${this.#source}/ does not exist on the server`, remedy);
  }

  #choice(): Expression {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) this.#refuse(`nesting of more than ${MAX_DEPTH} groups`, 'use fewer groups');
    const items = [this.#sequence()];
    while (this.#take('|')) items.push(this.#sequence());
    this.#depth -= 1;
    const [only] = items;
    return only && items.length === 1 ? only : { type: 'choice', items };
  }

  #sequence(): Expression {
    const items: Expression[] = [];
    while (this.#peek() !== '' && this.#peek() !== '|' && this.#peek() !== ')') items.push(this.#repeated());
    const [only] = items;
    return only && items.length === 1 ? only : { type: 'sequence', items };
  }

  #repeated(): Expression {
    const item = this.#atom();
    const count = this.#count();
    if (!count) return item;
    const lazy = this.#take('?');
    return { type: 'repeat', item, ...count, lazy };
  }

  #count(): { min: number; max: number } | undefined {
    if (this.#take('*')) return { min: 0, max: Infinity };
    if (this.#take('+')) return { min: 1, max: Infinity };
    if (this.#take('?')) return { min: 0, max: 1 };
    const [text, from, comma, to] = /^\{(\d+)(,?)(\d*)\}/.exec(this.#rest()) ?? [];
    if (text === undefined || from === undefined) return undefined;
    this.#position += text.length;
    return { min: Number(from), max: comma === '' ? Number(from) : to === '' ? Infinity : Number(to) };
  }

  #rest(): string {
    return this.#characters.slice(this.#position, this.#position + 24).join('');
  }

  #atom(): Expression {
    const character = this.#next();
    if (character === '^') return { type: 'start' };
    if (character === '$') return { type: 'end' };
    if (character === '.') return { type: 'characters', ranges: NOT_LINE_END };
    if (character === '(') return this.#group();
    if (character === '[') return { type: 'characters', ranges: this.#class() };
    if (character !== '\\') return one(this.#codeOf(character));
    if (this.#take('b')) return { type: 'boundary' };
    if (this.#take('B')) return { type: 'inside' };
    return { type: 'characters', ranges: this.#escape() };
  }

  #group(): Expression {
    let captures = true;
    if (this.#take('?')) {
      const name = /^<[^=!>][^>]*>/.exec(this.#characters.slice(this.#position).join(''))?.[0];
      if (name !== undefined) this.#position += name.length;
      else if (this.#take(':')) captures = false;
      else if (this.#peek() === '=' || this.#peek() === '!') {
        this.#refuse('a lookahead', 'use two patterns, or a rule: k8s.cel({ rule: "self.matches(...)" })');
      } else if (this.#peek() === '<') this.#refuse('a lookbehind', 'use two patterns, or a rule: k8s.cel({ rule })');
      else this.#refuse('a group with flags', 'write the group without flags');
    }
    const item = this.#choice();
    this.#next();
    return { type: 'group', item, captures };
  }

  #class(): CharRange[] {
    const isNegated = this.#take('^');
    const ranges: CharRange[] = [];
    while (!this.#take(']')) {
      const from = this.#classItem();
      const isRange = this.#peek() === '-' && this.#peek(1) !== ']' && singleOf(from) !== undefined;
      if (!isRange) {
        ranges.push(...from);
        continue;
      }
      this.#next();
      const to = this.#classItem();
      const [first, last] = [singleOf(from), singleOf(to)];
      if (first !== undefined && last !== undefined) ranges.push([first, last]);
      else ranges.push(...from, [0x2d, 0x2d], ...to);
    }
    return isNegated ? complement(ranges) : merged(ranges);
  }

  #classItem(): readonly CharRange[] {
    const character = this.#next();
    if (character !== '\\') return only(this.#codeOf(character));
    if (this.#take('b')) return only(0x08);
    return this.#escape();
  }

  /** Reads an escape after its backslash. */
  #escape(): readonly CharRange[] {
    const character = this.#next();
    const set = SETS[character];
    if (set) return set;
    const control = CONTROLS[character];
    if (control !== undefined) return only(control);
    if (character === 'x') return only(this.#hex(/^[0-9a-fA-F]{2}/, character));
    if (character === 'u') return only(this.#unicode());
    if (character === '0' && !/\d/.test(this.#peek())) return only(0);
    if (/[\dk]/.test(character)) this.#refuse('a reference to a group', 'repeat the expression of the group');
    if (/[pP]/.test(character)) this.#refuse('a Unicode property', 'list the characters, such as [a-zà-ÿ]');
    if (/[A-Za-z]/.test(character)) this.#refuse(`the escape \\${character}`, 'write the character itself');
    return only(this.#codeOf(character));
  }

  #unicode(): number {
    const [text, digits] = /^\{([0-9a-fA-F]+)\}/.exec(this.#rest()) ?? [];
    if (text === undefined || digits === undefined) return this.#hex(/^[0-9a-fA-F]{4}/, 'u');
    this.#position += text.length;
    return this.#checked(Number.parseInt(digits, 16));
  }

  #hex(digits: RegExp, escape: string): number {
    const text = digits.exec(this.#rest())?.[0];
    if (text === undefined) return this.#codeOf(escape);
    this.#position += text.length;
    return this.#checked(Number.parseInt(text, 16));
  }

  #codeOf(character: string): number {
    return this.#checked(character.codePointAt(0) ?? 0);
  }

  /** Without the flag u, JavaScript reads a character beyond U+FFFF as two. */
  #checked(code: number): number {
    if (code >= 0xd800 && code <= 0xdfff) {
      this.#refuse('half of a surrogate pair', 'add the flag u, so that the pair is one character');
    }
    return code;
  }
}

const SETS: Readonly<Record<string, readonly CharRange[]>> = {
  d: DIGITS,
  D: complement(DIGITS),
  w: WORD,
  W: complement(WORD),
  s: SPACE,
  S: complement(SPACE),
};

const CONTROLS: Readonly<Record<string, number>> = { t: 0x09, n: 0x0a, v: 0x0b, f: 0x0c, r: 0x0d };

function only(code: number): readonly CharRange[] {
  return [[code, code]];
}

function one(code: number): Expression {
  return { type: 'characters', ranges: only(code) };
}

function singleOf(ranges: readonly CharRange[]): number | undefined {
  const [range] = ranges;
  return range && ranges.length === 1 && range[0] === range[1] ? range[0] : undefined;
}
