import { shortened } from '../text/shortened.ts';

/** A requirement on one label. `values` are alternatives: `=` is `In` with one value. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';
  /** Empty for `Exists` and `DoesNotExist`, one whole number for `Gt` and `Lt`. */
  readonly values: readonly string[];
}

/** Requirements that must all hold. The empty selector matches everything. */
export type LabelSelector = readonly LabelRequirement[];

/** Maximum number of bytes of a selector that an error repeats. */
const MAX_SHOWN_BYTES = 200;

/** Upstream: `IsQualifiedName` and `IsValidLabelValue` of apimachinery. */
const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const WHOLE_NUMBER = /^-?\d{1,19}$/;
const PREFIX = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;

/** Reports whether the API server accepts a text as a label key. */
export function isLabelKey(text: string): boolean {
  const slash = text.indexOf('/');
  return NAME.test(text.slice(slash + 1)) && (slash < 0 || PREFIX.test(text.slice(0, slash)));
}

/** Reports whether the API server accepts a text as a label value. (The API server also accepts an empty value.) */
export function isLabelValue(text: string): boolean {
  return NAME.test(text);
}

/**
 * Parses a label selector in the API's text form: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a>1`, `a<1`,
 * `a`, `!a`, joined by commas.
 *
 * @throws {SyntaxError} if the text is not a label selector; the message names the position.
 */
export function parseLabelSelector(text: string): LabelSelector {
  const tokens = text.match(/[!=]=|[!=(),<>]|[^\s!=(),<>]+/g) ?? [];
  const requirements: LabelRequirement[] = [];
  let position = 0;

  const fail = (expected: string): never => {
    const found = tokens[position];
    throw new SyntaxError(
      `label selector ${shownText(text)}: expected ${expected}, found ${found === undefined ? 'the end' : shownText(found)}`,
    );
  };
  const take = (token: string): boolean => {
    if (tokens[position] !== token) return false;
    position++;
    return true;
  };
  const expect = (token: string): void => {
    if (!take(token)) fail(JSON.stringify(token));
  };
  const key = (): string => {
    const word = tokens[position] ?? '';
    if (!isLabelKey(word)) fail('a label key');
    position++;
    return word;
  };
  /** A value may be empty: `a=` selects the label with an empty value. */
  const value = (): string => {
    const word = tokens[position];
    if (word === undefined || word === ',' || word === ')') return '';
    if (!isLabelValue(word)) fail('a label value');
    position++;
    return word;
  };
  const wholeNumber = (): string => {
    const word = tokens[position] ?? '';
    if (!WHOLE_NUMBER.test(word)) fail('a whole number');
    position++;
    return word;
  };
  const values = (): string[] => {
    expect('(');
    const found = [value()];
    while (take(',')) found.push(value());
    expect(')');
    return found;
  };
  const requirement = (): LabelRequirement => {
    if (take('!')) return { key: key(), operator: 'DoesNotExist', values: [] };
    const name = key();
    if (take('=') || take('==')) return { key: name, operator: 'In', values: [value()] };
    if (take('!=')) return { key: name, operator: 'NotIn', values: [value()] };
    if (take('>')) return { key: name, operator: 'Gt', values: [wholeNumber()] };
    if (take('<')) return { key: name, operator: 'Lt', values: [wholeNumber()] };
    if (take('in')) return { key: name, operator: 'In', values: values() };
    if (take('notin')) return { key: name, operator: 'NotIn', values: values() };
    return { key: name, operator: 'Exists', values: [] };
  };

  if (tokens.length === 0) return requirements;
  do requirements.push(requirement());
  while (take(','));
  if (position < tokens.length) fail('"," or the end');
  return requirements;
}

/** Reports whether `labels` meet every requirement. A missing label meets `!=` and `notin`, as on the API server. */
export function matchesLabels(selector: LabelSelector, labels: Readonly<Record<string, string>> | undefined): boolean {
  return selector.every(({ key, operator, values }) => {
    const found = labels && Object.hasOwn(labels, key) ? labels[key] : undefined;
    switch (operator) {
      case 'In':
        return found !== undefined && values.includes(found);
      case 'NotIn':
        return found === undefined || !values.includes(found);
      case 'Exists':
        return found !== undefined;
      case 'DoesNotExist':
        return found === undefined;
      case 'Gt':
      case 'Lt':
        return found !== undefined && compares(operator, found, values[0] ?? '');
    }
  });
}

/**
 * A label that is not a whole number is neither greater nor less than one.
 *
 * @param found a string, unless the server is faulty.
 */
function compares(operator: 'Gt' | 'Lt', found: unknown, limit: string): boolean {
  if (typeof found !== 'string' || !WHOLE_NUMBER.test(found)) return false;
  return operator === 'Gt' ? BigInt(found) > BigInt(limit) : BigInt(found) < BigInt(limit);
}

function shownText(text: string): string {
  return JSON.stringify(shortened(text, MAX_SHOWN_BYTES));
}
