/** Finds errors in JSON paths as kubectl writes them (upstream: the parser of `k8s.io/client-go/util/jsonpath`). */

const TERMINATOR = /[\s.,[\]$@{}]/u;
const INDEX = /^-?\d*(?::-?\d*)?(?::-?\d*)?$/u;
const KEY = /^'(?<key>(?:[^']|\\')*)'$/u;
const COMPARISON = /^(?<left>[^!<>=]+)[!<>=]+(?<right>.+)$/u;

/** Returns the error in a JSON path, or `undefined`. */
export function jsonPathFault(path: string): string | undefined {
  return actionFault(`${path}}`);
}

/** Checks one step after the other, to the end of the action. */
function actionFault(text: string): string | undefined {
  let [at, wasRecursive] = [0, false];
  for (;;) {
    const rest = text.slice(at);
    const first = rest.charAt(0);
    if (first === '}') return undefined;
    if (first === '' || first === '\n' || first === '\r') return 'unclosed action';
    if (rest.startsWith('..')) {
      if (wasRecursive) return 'invalid multiple recursive descent';
      wasRecursive = true;
      at += 2 + (/^[\w]/u.test(rest.slice(2)) ? wordLength(rest.slice(2)) : 0);
      continue;
    }
    const step = stepOf(rest, first);
    if (typeof step === 'string') return step;
    if (first !== ' ' && first !== '@' && first !== '$') wasRecursive = false;
    at += step;
  }
}

/** Returns the length of a step, or its error. */
function stepOf(rest: string, first: string): number | string {
  if (rest.startsWith('[?(')) return filterStep(rest);
  if (first === '[') return arrayStep(rest);
  if (first === '"' || first === "'") return quoteStep(rest, first);
  if (first === ' ' || first === '@' || first === '$') return 1;
  if (first === '.') return 1 + wordLength(rest.slice(1));
  if (/[+\-\d]/u.test(first)) return numberStep(rest);
  if (/[\p{L}\d_]/u.test(first)) return wordLength(rest);
  const code = (rest.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `unrecognized character in action: U+${code} '${String.fromCodePoint(rest.codePointAt(0) ?? 0)}'`;
}

function wordLength(text: string): number {
  for (let at = 0; at < text.length; at++) {
    if (text.charAt(at) === '\\') at++;
    else if (TERMINATOR.test(text.charAt(at))) return at;
  }
  return text.length;
}

function numberStep(rest: string): number | string {
  const number = /^[+-]?[\d.]*/u.exec(rest)?.[0] ?? '';
  return /^[+-]?(?:\d+\.?\d*|\.\d+)$/u.test(number) ? number.length : `cannot parse number ${number}`;
}

function arrayStep(rest: string): number | string {
  const text = /^\[(?<inner>[^\]\n]*)\]/u.exec(rest)?.groups?.['inner'];
  if (text === undefined) return 'unterminated array';
  const parts = text.split(',');
  if (parts.length > 1) {
    const fault = parts.map((part) => actionFault(`[${part.trim()}]}`)).find((each) => each !== undefined);
    return fault ?? text.length + 2;
  }
  const key = KEY.exec(text)?.groups?.['key'];
  if (key !== undefined) return actionFault(`.${key}}`) ?? text.length + 2;
  return text === '*' || INDEX.test(text) ? text.length + 2 : `invalid array index ${text}`;
}

function quoteStep(rest: string, quote: string): number | string {
  for (let at = 1; at < rest.length && rest.charAt(at) !== '\n'; at++) {
    if (rest.charAt(at) === quote && rest.charAt(at - 1) !== '\\') return at + 1;
  }
  return 'unterminated quoted string';
}

/** Parentheses within a text of a filter do not end it. */
function filterStep(rest: string): number | string {
  let quote = '';
  let isClosed = true;
  for (let at = '[?('.length; at < rest.length && rest.charAt(at) !== '\n'; at++) {
    const character = rest.charAt(at);
    if ((character === '"' || character === "'") && quote === '') [quote, isClosed] = [character, false];
    else if (character === quote && rest.charAt(at - 1) !== '\\') isClosed = true;
    else if (character === ')' && isClosed) {
      if (rest.charAt(at + 1) !== ']') return 'unclosed array expect ]';
      const text = rest.slice('[?('.length, at);
      const { left = text, right = '' } = COMPARISON.exec(text)?.groups ?? {};
      return actionFault(`${left}}`) ?? actionFault(`${right}}`) ?? at + 2;
    }
  }
  return 'unterminated filter';
}
