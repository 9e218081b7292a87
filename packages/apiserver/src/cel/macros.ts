import type { Call, Comprehension, Expr, Issue } from './syntax.ts';
import { RESULT } from './syntax.ts';

/** Builds the nodes that a macro expands to, at the position of its call. */
class Builder {
  readonly #at: number;

  constructor(at: number) {
    this.#at = at;
  }

  ident(name: string): Expr {
    return { kind: 'ident', at: this.#at, name };
  }

  bool(value: boolean): Expr {
    return { kind: 'literal', at: this.#at, type: 'bool', value };
  }

  int(value: bigint): Expr {
    return { kind: 'literal', at: this.#at, type: 'int', value };
  }

  call(name: string, ...args: readonly Expr[]): Expr {
    return { kind: 'call', at: this.#at, name, target: undefined, args };
  }

  method(target: Expr, name: string, ...args: readonly Expr[]): Expr {
    return { kind: 'call', at: this.#at, name, target, args };
  }

  list(...values: readonly Expr[]): Expr {
    return { kind: 'list', at: this.#at, items: values.map((value) => ({ value, optional: false })) };
  }

  map(): Expr {
    return { kind: 'map', at: this.#at, entries: [] };
  }

  fold(parts: Omit<Comprehension, 'kind' | 'at' | 'accumulator'> & { readonly accumulator?: string }): Expr {
    return { kind: 'fold', at: this.#at, accumulator: RESULT, ...parts };
  }
}

type Expansion = (call: Call, target: Expr, make: Builder, issues: Issue[]) => Expr | undefined;

export interface MacroOptions {
  /** Whether `cel.bind` is a macro. Default: false. */
  readonly hasBindings?: boolean;
}

/** Returns the expansion of a macro; `undefined` if the call is not a macro. */
export function expandMacro(call: Call, issues: Issue[], { hasBindings = false }: MacroOptions): Expr | undefined {
  const { name, target, args } = call;
  if (!target) return name === 'has' && args.length === 1 ? presence(call, issues) : undefined;
  if (hasBindings && name === 'bind' && target.kind === 'ident' && target.name === 'cel') return binding(call, issues);
  const key = `${name}/${args.length}`;
  const expand = Object.hasOwn(MACROS, key) ? MACROS[key] : undefined;
  return expand?.(call, target, new Builder(call.at), issues);
}

function presence({ args: [argument], at }: Call, issues: Issue[]): Expr | undefined {
  if (argument?.kind === 'select' && !argument.test) return { ...argument, at, test: true };
  issues.push({ at: argument?.at ?? at, message: 'invalid argument to has() macro' });
  return argument;
}

/** Returns the name of a variable of a loop. */
function variableOf(expr: Expr | undefined, issues: Issue[], what = 'argument must be a simple name'): string {
  if (expr?.kind === 'ident' && expr.name !== RESULT) return expr.name;
  issues.push({ at: expr?.at ?? 0, message: what });
  return '@invalid';
}

const NO_IDENTIFIER = 'argument is not an identifier';

interface Loop {
  readonly range: Expr;
  readonly variable: string;
  readonly variable2: string | undefined;
  /** Arguments after the variables. */
  readonly rest: readonly Expr[];
}

function loopOf({ args }: Call, range: Expr, count: 1 | 2, issues: Issue[], what?: string): Loop {
  return {
    range,
    variable: variableOf(args[0], issues, what),
    variable2: count === 2 ? variableOf(args[1], issues, what) : undefined,
    rest: args.slice(count),
  };
}

function quantifier(count: 1 | 2, kind: 'all' | 'exists' | 'one'): Expansion {
  return (call, target, make, issues) => {
    const { rest, ...loop } = loopOf(call, target, count, issues);
    const [predicate] = rest;
    if (!predicate) return undefined;
    const result = make.ident(RESULT);
    switch (kind) {
      case 'all':
        return make.fold({
          ...loop,
          init: make.bool(true),
          condition: make.call('@not_strictly_false', result),
          step: make.call('_&&_', result, predicate),
          result,
        });
      case 'exists':
        return make.fold({
          ...loop,
          init: make.bool(false),
          condition: make.call('@not_strictly_false', make.call('!_', result)),
          step: make.call('_||_', result, predicate),
          result,
        });
      case 'one':
        return make.fold({
          ...loop,
          init: make.int(0n),
          condition: make.bool(true),
          step: make.call('_?_:_', predicate, make.call('_+_', result, make.int(1n)), result),
          result: make.call('_==_', result, make.int(1n)),
        });
    }
  };
}

/** @param filtered whether an argument before the last one selects the items. */
function collection(count: 1 | 2, kind: 'list' | 'map' | 'entries', filtered: boolean): Expansion {
  return (call, target, make, issues) => {
    const { rest, ...loop } = loopOf(call, target, count, issues, count === 1 ? NO_IDENTIFIER : undefined);
    const value = rest.at(-1);
    const filter = filtered ? rest[0] : undefined;
    if (!value) return undefined;
    const result = make.ident(RESULT);
    const added =
      kind === 'list'
        ? make.call('_+_', result, make.list(value))
        : kind === 'map'
          ? make.call('cel.@mapInsert', result, make.ident(loop.variable), value)
          : make.call('cel.@mapInsert', result, value);
    return make.fold({
      ...loop,
      init: kind === 'list' ? make.list() : make.map(),
      condition: make.bool(true),
      step: filter ? make.call('_?_:_', filter, added, result) : added,
      result,
    });
  };
}

const filter: Expansion = (call, target, make, issues) => {
  const { rest, ...loop } = loopOf(call, target, 1, issues, NO_IDENTIFIER);
  const [predicate] = rest;
  if (!predicate) return undefined;
  const result = make.ident(RESULT);
  const added = make.call('_+_', result, make.list(make.ident(loop.variable)));
  const step = make.call('_?_:_', predicate, added, result);
  return make.fold({ ...loop, init: make.list(), condition: make.bool(true), step, result });
};

function bind(make: Builder, variable: string, value: Expr, result: Expr): Expr {
  return make.fold({
    range: make.list(),
    variable: '#unused',
    variable2: undefined,
    accumulator: variable,
    init: value,
    condition: make.bool(false),
    step: make.ident(variable),
    result,
  });
}

/** Upstream: `ext.Bindings` of cel-go. */
function binding({ args, at }: Call, issues: Issue[]): Expr | undefined {
  const [name, value, result] = args;
  if (!value || !result || args.length > 3) return undefined;
  const variable = variableOf(name, issues, 'cel.bind() variable names must be simple identifiers');
  return bind(new Builder(at), variable, value, result);
}

function optionalMap(flat: boolean): Expansion {
  return (call, target, make, issues) => {
    const [name, value] = call.args;
    const text = `${flat ? 'optFlatMap()' : 'optMap()'} variable name must be a simple identifier`;
    const variable = variableOf(name, issues, text);
    if (!value) return undefined;
    const inner = bind(make, variable, make.method(target, 'value'), value);
    const present = flat ? inner : make.call('optional.of', inner);
    return make.call('_?_:_', make.method(target, 'hasValue'), present, make.call('optional.none'));
  };
}

const sortBy: Expansion = (call, target, make, issues) => {
  const [name, key] = call.args;
  const variable = variableOf(
    name,
    issues,
    'sortBy can only be applied to a list, identifier, comprehension, call or select expression',
  );
  if (!key) return undefined;
  const input = '@__sortBy_input__';
  const keys = make.fold({
    range: make.ident(input),
    variable,
    variable2: undefined,
    init: make.list(),
    condition: make.bool(true),
    step: make.call('_+_', make.ident(RESULT), make.list(key)),
    result: make.ident(RESULT),
  });
  return bind(make, input, target, make.method(make.ident(input), '@sortByAssociatedKeys', keys));
};

/** Macros by name and number of arguments. */
const MACROS: Readonly<Record<string, Expansion>> = {
  'all/2': quantifier(1, 'all'),
  'all/3': quantifier(2, 'all'),
  'exists/2': quantifier(1, 'exists'),
  'exists/3': quantifier(2, 'exists'),
  'exists_one/2': quantifier(1, 'one'),
  'exists_one/3': quantifier(2, 'one'),
  'existsOne/3': quantifier(2, 'one'),
  'map/2': collection(1, 'list', false),
  'map/3': collection(1, 'list', true),
  'filter/2': filter,
  'transformList/3': collection(2, 'list', false),
  'transformList/4': collection(2, 'list', true),
  'transformMap/3': collection(2, 'map', false),
  'transformMap/4': collection(2, 'map', true),
  'transformMapEntry/3': collection(2, 'entries', false),
  'transformMapEntry/4': collection(2, 'entries', true),
  'optMap/2': optionalMap(false),
  'optFlatMap/2': optionalMap(true),
  'sortBy/2': sortBy,
};
