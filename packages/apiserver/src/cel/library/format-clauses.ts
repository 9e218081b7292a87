import { EvaluationError } from '../values.ts';

/** A clause of a format, such as `%.2f`. */
export interface Clause {
  readonly verb: string;
  readonly precision: number | undefined;
}

/** Returns the texts for the clauses of a format. */
export interface Interpolator {
  /** Number of arguments. */
  readonly count: number;
  /** Called with the index of an argument before its clause is read. @throws {EvaluationError} if there is none. */
  readonly request: (index: number) => void;
  /** Returns the text for an argument. @throws {EvaluationError} if the clause does not fit it. */
  readonly format: (clause: Clause, index: number) => string;
}

const CLAUSE = /^(?:\.(?<precision>\d*))?(?<verb>.)?/su;

/** Replaces the clauses of a format. (Upstream: `parseFormatString` of cel-go.) @throws {EvaluationError} */
export function interpolate(template: string, { count, request, format }: Interpolator): string {
  const [first = '', ...parts] = template.split('%');
  let text = first;
  let index = 0;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    if (part === '' && parts.length > 0) {
      text += `%${parts.shift() ?? ''}`;
      continue;
    }
    request(index);
    if (part === '') throw new EvaluationError('unexpected end of string');
    if (index >= count) throw outOfRange(index);
    const { clause, rest } = clauseOf(part);
    text += format(clause, index) + rest;
    index += 1;
  }
  return text;
}

export function outOfRange(index: number): EvaluationError {
  return new EvaluationError(`index ${index} out of range`);
}

function clauseOf(part: string): { readonly clause: Clause; readonly rest: string } {
  const { 0: whole = '', groups: { precision, verb } = {} } = CLAUSE.exec(part) ?? {};
  if (verb === undefined) throw unreadable('error while parsing precision: could not find end of precision specifier');
  if (precision === '') {
    const why = 'error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax';
    throw unreadable(`error while parsing precision: ${why}`);
  }
  if (!'sdfebxXo'.includes(verb)) {
    // Go reads one byte.
    const letter = String.fromCharCode(Buffer.from(verb)[0] ?? 0);
    throw unreadable(`unrecognized formatting clause "${letter}"`);
  }
  const clause = { verb, precision: precision === undefined ? undefined : Number(precision) };
  return { clause, rest: part.slice(whole.length) };
}

function unreadable(why: string): EvaluationError {
  return new EvaluationError(`could not parse formatting clause: ${why}`);
}

const RULES: Readonly<Record<string, string>> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  b: 'only integers and bools can be formatted as binary',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
  o: 'octal clause can only be used on integers',
};

/** Returns the error of an argument that a clause does not accept. @param typeName type of the argument. */
export function unfit({ verb }: Clause, typeName: string): EvaluationError {
  return new EvaluationError(`error during formatting: ${RULES[verb.toLowerCase()]}, was given ${typeName}`);
}
