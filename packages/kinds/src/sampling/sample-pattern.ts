import type { Expression } from '../pattern/expression.ts';
import { parsePattern } from '../pattern/parse-pattern.ts';
import type { Random } from './random.ts';

const MAX_REPETITIONS = 3;
const MAX_RANGES = 20;
/** Last character of the plane that zod and the server measure equally. Surrogates are left out. */
const LAST_PRINTABLE = 0xd7ff;

/** Returns a text that the pattern probably matches. Assertions other than `^` and `$` are ignored. */
export function samplePattern(pattern: string, random: Random): string {
  return sample(parsePattern(new RegExp(pattern.replaceAll(/\\x\{([0-9a-fA-F]+)\}/g, '\\u{$1}'), 'u')), random);
}

function sample(expression: Expression, random: Random): string {
  switch (expression.type) {
    case 'start':
    case 'end':
    case 'boundary':
    case 'inside':
      return '';
    case 'characters': {
      const ranges = expression.ranges.slice(0, MAX_RANGES).filter(([from]) => from <= LAST_PRINTABLE);
      if (ranges.length === 0) return '';
      const [from, to] = random.pick(ranges);
      return String.fromCodePoint(random.integer(from, Math.min(to, from + 100, LAST_PRINTABLE)));
    }
    case 'sequence':
      return expression.items.map((item) => sample(item, random)).join('');
    case 'choice':
      return sample(random.pick(expression.items), random);
    case 'group':
      return sample(expression.item, random);
    case 'repeat': {
      const most = Math.min(expression.max, expression.min + MAX_REPETITIONS);
      const count = random.integer(expression.min, most);
      return Array.from({ length: count }, () => sample(expression.item, random)).join('');
    }
  }
}
