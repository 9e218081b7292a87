import { COMPARING, PARSING, REGEX, TRAVERSAL } from './cost-factors.ts';
import type { Overload } from './functions.ts';
import type { Value } from './values.ts';
import { List, MapValue, Opaque, sizeOf } from './values.ts';

/* Costs follow `interpreter/runtimecost.go` of cel-go and `pkg/cel/library/cost.go` of k8s.io/apiserver. */

/** Functions whose cost is one traversal of the first argument. */
const TRAVERSING: ReadonlySet<string> = new Set([
  ...PARSING,
  ...'lowerAscii upperAscii substring trim startsWith endsWith format strings.quote'.split(' '),
]);

/** Ids of signatures that add or convert texts. */
const ADDING: ReadonlySet<string> = new Set(['add_string', 'add_bytes']);
const CONVERTING: ReadonlySet<string> = new Set(['string_to_bytes', 'bytes_to_string']);

function traversal(size: number, times = 1): number {
  return Math.ceil(size * times * TRAVERSAL);
}

function regexCost(text: number, pattern: number): number {
  return Math.ceil((1 + text) * TRAVERSAL) * Math.ceil(pattern * REGEX);
}

/** Cost of asking the authorizer: two questions fit into one expression. */
const AUTHORIZATION = 350_000;

/** Cost of parsing a selector of a check: a list, a traversal, and a structure for every two characters. */
function selectorCost(length: number): number {
  return 10 + traversal(length) + Math.ceil(length / 2) * 50;
}

/** Returns the cost of a call, by its arguments. */
type ArgumentCost = (args: readonly Value[]) => number;

const bySize =
  (cost: (first: number, second: number) => number): ArgumentCost =>
  ([first = null, second = null]) =>
    cost(sizeOf(first), sizeOf(second));

const byFirst =
  (cost: (size: number) => number): ArgumentCost =>
  ([first = null]) =>
    cost(sizeOf(first));

/** Returns how to calculate the cost of the calls of a signature, except for that of their results. */
export function callCost({ id, name }: Overload): ArgumentCost {
  switch (name) {
    case 'check':
      return () => AUTHORIZATION;
    case 'fieldSelector':
    case 'labelSelector':
      return bySize((_, selector) => selectorCost(selector));
    case 'isSorted':
    case 'sum':
    case 'max':
    case 'min':
    case 'indexOf':
    case 'lastIndexOf':
      return ([first = null]) => traversalOf(first);
    case 'replace':
    case 'split':
    case 'ip.isCanonical':
      return byFirst((size) => traversal(size, 2));
    case 'find':
    case 'findAll':
    case 'matches':
      return bySize(regexCost);
    case 'containsIP':
      return bySize((cidr, ip) => traversal(cidr, 2) + (id.endsWith('_string') ? traversal(ip) : 0));
    case 'containsCIDR':
      return bySize((outer, inner) => {
        const parsing = id.endsWith('_string') ? traversal(inner) : 0;
        return traversal(outer, 2) + traversal(outer) + 1 + parsing;
      });
    case 'validate':
      return ([first = null, second = null]) => regexCost(sizeOf(second), first instanceof Opaque ? first.size : 1);
    case 'contains':
      return bySize((text, part) => traversal(text) * traversal(part));
    case 'sets.contains':
    case 'sets.intersects':
      return bySize((a, b) => 1 + a * b);
    case 'sets.equivalent':
      return bySize((a, b) => 1 + 2 * a * b);
    default:
      break;
  }
  if (id === 'cidr_ip') return () => 1;
  if (id === 'in_list') return bySize((_, list) => list);
  // cel-go adds lists without a copy, at a cost of 1.
  if (id === 'add_list') return bySize((a, b) => 1 + a + b);
  if (TRAVERSING.has(name) || CONVERTING.has(id)) return byFirst((size) => traversal(size));
  if (ADDING.has(id)) return bySize((a, b) => traversal(a + b));
  if (COMPARING.test(id)) {
    const comparison = bySize((a, b) => Math.ceil(Math.min(a, b) * TRAVERSAL));
    return (args) => (args[0] instanceof Opaque ? 1 : comparison(args));
  }
  return (args) => listCost(name, args);
}

/** Returns how to calculate the cost of the results of a signature. */
export function resultCost({ name }: Overload): (result: Value) => number {
  switch (name) {
    case 'join':
      return (result) => traversal(sizeOf(result), 2);
    case 'slice':
    case 'reverse':
      return sizeOf;
    default:
      return () => 0;
  }
}

/** Costs of `ext.Lists`. */
function listCost(name: string, [first = null, second = null]: readonly Value[]): number {
  switch (name) {
    case 'join':
      return 0;
    case 'slice':
    case 'reverse':
      return 11;
    case 'lists.range':
      return 11 + Math.max(0, Number(first));
    case 'flatten':
      return 11 + sizeOf(first) * (typeof second === 'bigint' ? Number(second) : 1);
    case 'distinct':
    case 'sort':
      return sortCost(first);
    case '@sortByAssociatedKeys':
      return sortCost(second);
    default:
      return 1;
  }
}

function sortCost(list: Value): number {
  const first = list instanceof List ? list.items[0] : undefined;
  const isText = typeof first === 'string' || first instanceof Uint8Array;
  return 11 + Math.floor(sizeOf(list) ** 2 * (isText ? 2 + TRAVERSAL : 2));
}

/** Returns the cost of visiting all parts of a value. */
function traversalOf(value: Value): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return Math.floor(sizeOf(value) * TRAVERSAL);
  if (value instanceof List) return value.items.reduce<number>((sum, item) => sum + traversalOf(item), 0);
  if (value instanceof MapValue) {
    let sum = 0;
    for (const [key, child] of value.entries.values()) sum += traversalOf(key) + traversalOf(child);
    return sum;
  }
  return 1;
}
