/** Where a scalar is written. */
export interface ScalarPlace {
  /** Column at which it starts. */
  readonly column: number;
  /** Indentation of its further lines. */
  readonly indent: number;
  /** A key is on one line. */
  readonly isKey: boolean;
  /** Column after which a text continues on the next line. */
  readonly width: number;
}

/** Returns a scalar, or an empty list or map, with the quotes and lines of go-yaml. */
export function scalarOf(value: unknown, place: ScalarPlace): string {
  if (typeof value === 'number') return numberText(value);
  if (typeof value !== 'string') return JSON.stringify(value);
  const form = formsOf(value);
  if (value.includes('\n')) {
    return form.literal && !place.isKey ? literal(value, place) : doubleQuoted(value, place);
  }
  if (isOtherType(value)) return doubleQuoted(value, place);
  if (form.plain && value !== '') return folded(value, place, '');
  return form.singleQuoted ? `'${folded(value.replaceAll("'", "''"), place, "'")}'` : doubleQuoted(value, place);
}

/** Go writes an exponent with two digits, from 1e-5 on. */
function numberText(value: number): string {
  const text = value !== 0 && Math.abs(value) < 1e-4 ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/u, 'e$10$2');
}

const WORDS =
  /^(?:~|null|Null|NULL|y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF|true|True|TRUE|false|False|FALSE|<<)$/u;
const SPECIAL_NUMBERS = /^(?:[+-]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/u;
const DECIMALS = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/u;
const INTEGERS = /^[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|[1-9][0-9]*|0)$/u;
const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/u;
const TIMES =
  /^\d{4}-\d{1,2}-\d{1,2}(?:(?:[Tt]|[ \t]+)\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})?|[Tt]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2}))?$/u;

/** Reports whether a text without quotes would be another type of YAML 1.1. */
function isOtherType(text: string): boolean {
  const digits = text.replaceAll('_', '');
  const isNumber = /^[-+.0-9]/u.test(text) && (DECIMALS.test(digits) || INTEGERS.test(digits));
  return (
    text === '' || WORDS.test(text) || SPECIAL_NUMBERS.test(text) || isNumber || BASE_60.test(text) || TIMES.test(text)
  );
}

interface Forms {
  readonly plain: boolean;
  readonly singleQuoted: boolean;
  readonly literal: boolean;
}

/** Returns the forms that can represent a text. (Upstream: `yaml_emitter_analyze_scalar`.) */
function formsOf(text: string): Forms {
  const isSpecial = /[^\n\x20-\x7e\u0085\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u.test(text);
  const hasIndicator = /^(?:---|\.\.\.|[#,[\]{}&*!|>'"%@`]|[?:-](?:\s|$))/u.test(text) || /:(?:\s|$)|\s#/u.test(text);
  const hasEdge = /^[ \n]|[ \n]$/u.test(text);
  const isBroken = / \n/u.test(text) || isSpecial;
  return {
    plain: !hasIndicator && !hasEdge && !isBroken && !text.includes('\n'),
    singleQuoted: !isBroken && !text.includes('\n '),
    literal: !isBroken && !text.endsWith(' '),
  };
}

/** Continues a long text after a single space. */
function folded(text: string, { column, indent, isKey, width }: ScalarPlace, quote: string): string {
  let at = column + quote.length;
  let result = '';
  let afterSpace = false;
  const characters = Array.from(text);
  for (const [index, character] of characters.entries()) {
    const isInside = quote === '' || (index > 0 && index < characters.length - 1);
    if (character === ' ' && !isKey && !afterSpace && at > width && isInside && characters[index + 1] !== ' ') {
      result += `\n${' '.repeat(indent)}`;
      at = indent;
    } else {
      result += character;
      at += 1;
    }
    afterSpace = character === ' ';
  }
  return result;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\0': String.raw`\0`,
  '\u0007': String.raw`\a`,
  '\b': String.raw`\b`,
  '\t': String.raw`\t`,
  '\n': String.raw`\n`,
  '\v': String.raw`\v`,
  '\f': String.raw`\f`,
  '\r': String.raw`\r`,
  '\u001b': String.raw`\e`,
  '"': String.raw`\"`,
  '\\': '\\\\',
  '\u0085': String.raw`\N`,
  '\u00a0': String.raw`\_`,
  '\u2028': String.raw`\L`,
  '\u2029': String.raw`\P`,
};

function escaped(character: string): string {
  const known = ESCAPES[character];
  if (known !== undefined && character !== '\u00a0') return known;
  if (/[\x20-\x7e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u.test(character)) return character;
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  if (code.length <= 2) return `\\x${code.padStart(2, '0')}`;
  return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\U${code.padStart(8, '0')}`;
}

function doubleQuoted(text: string, { column, indent, isKey, width }: ScalarPlace): string {
  let at = column + 1;
  let result = '"';
  let afterSpace = false;
  const characters = Array.from(text);
  for (const [index, character] of characters.entries()) {
    const isInside = index > 0 && index < characters.length - 1;
    if (character === ' ' && !isKey && !afterSpace && at > width && isInside) {
      const start = `${' '.repeat(indent)}${characters[index + 1] === ' ' ? '\\' : ''}`;
      result += `\n${start}`;
      at = start.length;
    } else {
      const shown = escaped(character);
      result += shown;
      at += shown.length;
    }
    afterSpace = character === ' ';
  }
  return `${result}"`;
}

/** A text of several lines, each on its own. */
function literal(text: string, { indent }: ScalarPlace): string {
  const hint = /^[ \n]/u.test(text) ? '2' : '';
  const chomp = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : '';
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  const lines = body.split('\n').map((line) => (line === '' ? '' : `${' '.repeat(indent)}${line}`));
  return `|${hint}${chomp}\n${lines.join('\n')}`;
}
