import { COMPARING, PARSING, REGEX, TRAVERSAL } from './cost-factors.ts';
import type { Estimator } from './estimate.ts';
import type { Size } from './size.ts';
import { capped, costOf, fixed, MAX, plus, times, union, UNKNOWN } from './size.ts';
import type { Call, Expr } from './syntax.ts';

/** A call with one of its signatures. */
export interface CallSite {
  readonly call: Call;
  readonly id: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
  readonly argCosts: readonly number[];
  readonly estimator: Estimator;
}

export interface CallEstimate {
  /** Largest cost, with that of the arguments. */
  readonly cost: number;
  readonly size?: Size | undefined;
}

/** Length of a named format's regular expression. */
const FORMAT_SIZE = 128;

export function estimateCall(site: CallSite): CallEstimate {
  const { argCosts, id, call } = site;
  if (id === 'logical_and' || id === 'logical_or') return { cost: sum(argCosts) };
  if (id === 'conditional') return conditional(site);
  const own = listEstimate(site) ?? kubernetesEstimate(call.name, site) ?? standardEstimate(site) ?? { cost: 1 };
  return { ...own, cost: capped(own.cost + sum(argCosts)) };
}

function sum(costs: readonly number[]): number {
  return capped(costs.reduce((total, cost) => total + cost, 0));
}

function conditional({
  call,
  args: [, yes, no],
  argCosts: [condition = 0, ifTrue = 0, ifFalse = 0],
  estimator,
}: CallSite): CallEstimate {
  if (!yes || !no) return { cost: 1 };
  const [left, right] = [estimator.entriesOf(yes), estimator.entriesOf(no)];
  if (left && right) {
    const key = union(left.key, right.key);
    estimator.setEntries(call, { isList: left.isList, key, value: union(left.value, right.value) });
  }
  const size = union(estimator.sizeOf(yes), estimator.sizeOf(no));
  return { cost: capped(condition + Math.max(ifTrue, ifFalse)), size };
}

/** Estimates of `ext.Lists` and `ext.Sets`. */
function listEstimate({ id, target, args, estimator }: CallSite): CallEstimate | undefined {
  const [first, second] = args;
  const created = (factor: number, size: Size): CallEstimate => ({ cost: capped(costOf(size, factor) + 11), size });
  const squared = (expr: Expr, text: boolean): CallEstimate => {
    const size = estimator.sizeOf(expr);
    return created(text ? 2 + TRAVERSAL : 2, times(size, size));
  };
  if (id === 'lists_range' && first) return created(1, fixed(literalInt(first) ?? MAX));
  if (id.startsWith('list_sets_') && first && second) {
    const size = times(estimator.sizeOf(first), estimator.sizeOf(second));
    return { cost: capped(costOf(size, id === 'list_sets_equivalent_list' ? 2 : 1) + 1) };
  }
  if (!target) return undefined;
  const size = estimator.sizeOf(target);
  const isText = /_(?:string|bytes)_sort/.test(id);
  switch (true) {
    case id === 'list_slice' && first !== undefined && second !== undefined:
      return created(1, fixed(Math.max(0, (literalInt(second) ?? size.max) - (literalInt(first) ?? 0))));
    case id === 'list_reverse':
      return created(1, size);
    case id === 'list_flatten':
      return created(1, size);
    case id === 'list_flatten_int' && first !== undefined:
      return created(literalInt(first) ?? MAX, size);
    case id === 'list_distinct':
      return squared(target, false);
    case id.endsWith('_sort'):
      return squared(target, isText);
    case id.endsWith('_sortByAssociatedKeys') && first !== undefined:
      return squared(first, isText);
    default:
      return undefined;
  }
}

function literalInt(expr: Expr): number | undefined {
  return expr.kind === 'literal' && typeof expr.value === 'bigint' ? Number(expr.value) : undefined;
}

/** Estimates of Kubernetes' libraries and of `ext.Strings`. */
function kubernetesEstimate(name: string, site: CallSite): CallEstimate | undefined {
  const { id, target, args, estimator } = site;
  const [first, second] = args;
  const traversed = (expr: Expr, count = 1): number => costOf(estimator.sizeOf(expr), count * TRAVERSAL);
  switch (name) {
    case 'isSorted':
    case 'sum':
    case 'max':
    case 'min':
    case 'indexOf':
    case 'lastIndexOf':
      return target && eachElement(target, estimator);
    case 'lowerAscii':
    case 'upperAscii':
    case 'substring':
    case 'trim':
      return target && { cost: traversed(target), size: estimator.sizeOf(target) };
    case 'replace':
      return (
        target && first && second && { cost: traversed(target, 2), size: replaced(target, first, second, estimator) }
      );
    case 'split':
      return (
        target && {
          cost: traversed(target, 2),
          size: { min: 0, max: (second && literalInt(second)) ?? estimator.sizeOf(target).max },
        }
      );
    case 'join':
      return target && joined(target, first, estimator);
    case 'find':
    case 'findAll':
      return (
        target &&
        first && { cost: regex(target, first, estimator), size: { min: 0, max: estimator.sizeOf(target).max } }
      );
    case 'ip.isCanonical':
      return first && { cost: traversed(first, 2) };
    case 'containsIP':
    case 'containsCIDR':
      return (
        first && {
          cost: capped((name === 'containsIP' ? 4 : 7) + (id.endsWith('_string') ? traversed(first) : 0)),
        }
      );
    case 'validate':
      return first && { cost: capped(Math.ceil(traversed(first) * FORMAT_SIZE * REGEX)) };
    default:
      break;
  }
  if (id === 'cidr_ip') return { cost: 1 };
  if (PARSING.has(name) && first) {
    return { cost: traversed(first), ...(name === 'url' && { size: estimator.sizeOf(first) }) };
  }
  return id === 'equals' && first && second ? opaqueEquality(first, second, estimator) : undefined;
}

function opaqueEquality(first: Expr, second: Expr, estimator: Estimator): CallEstimate | undefined {
  const [left, right] = [estimator.checked.typeOf(first), estimator.checked.typeOf(second)];
  if (left.kind !== 'opaque' || left.name === 'optional_type' || left.name !== right.name) return undefined;
  if (left.name === 'kubernetes.URL') return { cost: costOf(estimator.knownSize(second) ?? fixed(1), TRAVERSAL) };
  return { cost: left.name === 'kubernetes.NamedFormat' ? 7 : 1 };
}

/** Visits every element of a list, or a text. */
function eachElement(target: Expr, estimator: Estimator): CallEstimate {
  const type = estimator.checked.typeOf(target);
  const size = estimator.sizeOf(target);
  const [element] = type.params;
  if (!element) return { cost: costOf(size, TRAVERSAL) };
  const isText = element.kind === 'string' || element.kind === 'bytes';
  const each = 1 + (isText ? costOf(elementSize(target, estimator), TRAVERSAL) : 0);
  return { cost: capped(size.max * each) };
}

function elementSize(list: Expr, estimator: Estimator): Size {
  const path = estimator.pathOf(list);
  return (path.length > 0 ? estimator.sizeAt([...path, '@items']) : undefined) ?? UNKNOWN;
}

function replaced(target: Expr, from: Expr, to: Expr, estimator: Estimator): Size {
  const [size, old, next] = [estimator.sizeOf(target), estimator.sizeOf(from), estimator.sizeOf(to)];
  const longest =
    old.min === 0
      ? { count: capped(size.max + 1), kept: size.max }
      : next.max <= old.min
        ? { count: 0, kept: size.max }
        : { count: Math.ceil(size.max / old.min), kept: 0 };
  const shortest =
    old.max === 0
      ? { count: capped(size.min + 1), kept: size.min }
      : old.max <= next.min
        ? { count: 0, kept: size.min }
        : { count: Math.ceil(size.min / old.max), kept: 0 };
  return plus(times({ min: shortest.count, max: longest.count }, next), { min: shortest.kept, max: longest.kept });
}

function joined(target: Expr, separator: Expr | undefined, estimator: Estimator): CallEstimate {
  const list = estimator.sizeOf(target);
  let size = times(list, elementSize(target, estimator));
  if (separator) {
    const count = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) };
    size = plus(size, times(estimator.sizeOf(separator), count));
  }
  return { cost: costOf(size, TRAVERSAL), size };
}

function regex(text: Expr, pattern: Expr, estimator: Estimator): number {
  return capped(costOf(plus(estimator.sizeOf(text), fixed(1)), TRAVERSAL) * costOf(estimator.sizeOf(pattern), REGEX));
}

/** Estimates of the functions of the CEL specification. */
function standardEstimate({ id, call, target, args, estimator }: CallSite): CallEstimate | undefined {
  const [first, second] = args;
  if (!first) return undefined;
  const size = estimator.sizeOf(first);
  if (COMPARING.test(id) && second) {
    return { cost: costOf({ min: 0, max: Math.min(size.max, estimator.sizeOf(second).max) }, TRAVERSAL) };
  }
  switch (id) {
    case 'string_format':
      return target && { cost: costOf(estimator.sizeOf(target), TRAVERSAL) };
    case 'string_to_bytes':
      return { cost: costOf(size, TRAVERSAL), size: { min: size.min, max: capped(size.max * 4) } };
    case 'bytes_to_string':
      return { cost: costOf(size, TRAVERSAL), size: { min: Math.floor(size.min / 4), max: size.max } };
    case 'strings_quote':
      return { cost: costOf(size, TRAVERSAL), size: { min: capped(size.min + 2), max: capped(size.max * 2 + 2) } };
    case 'starts_with_string':
    case 'ends_with_string':
      return { cost: costOf(size, TRAVERSAL) };
    case 'in_list':
      return second && { cost: costOf(estimator.sizeOf(second), 1) };
    case 'matches_string':
      return target && { cost: regex(target, first, estimator) };
    case 'matches':
      return second && { cost: regex(first, second, estimator) };
    case 'contains_string':
      return target && { cost: capped(costOf(estimator.sizeOf(target), TRAVERSAL) * costOf(size, TRAVERSAL)) };
    case 'add_string':
    case 'add_bytes':
    case 'add_list':
      return second && added(call, first, second, { isList: id === 'add_list', estimator });
    default:
      return undefined;
  }
}

function added(
  call: Call,
  first: Expr,
  second: Expr,
  { isList, estimator }: { readonly isList: boolean; readonly estimator: Estimator },
): CallEstimate {
  const size = plus(estimator.sizeOf(first), estimator.sizeOf(second));
  const [left, right] = [estimator.entriesOf(first), estimator.entriesOf(second)];
  if (left && right) {
    const key = union(left.key, right.key);
    estimator.setEntries(call, { isList: left.isList, key, value: union(left.value, right.value) });
  }
  return { cost: isList ? 1 : costOf(size, TRAVERSAL), size };
}
