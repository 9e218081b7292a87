import type { Checked } from './checker.ts';
import type { CallSite } from './estimate-call.ts';
import { estimateCall } from './estimate-call.ts';
import type { Size } from './size.ts';
import { capped, fixed, union, UNKNOWN } from './size.ts';
import type { Call, Comprehension, Expr, ListLiteral, MapLiteral, Select } from './syntax.ts';
import type { CelType } from './types.ts';
import { ANY_NAME, isOptional } from './types.ts';

/* Estimates follow `checker/cost.go` of cel-go and `pkg/cel/library/cost.go` of k8s.io/apiserver. */

/** Sizes of the keys or indices and of the values of a container. */
export interface EntrySize {
  readonly isList: boolean;
  readonly key: Size;
  readonly value: Size;
}

interface Local {
  readonly path: readonly string[];
  readonly size: Size | undefined;
  readonly entries: EntrySize | undefined;
}

/** Returns the largest cost of an evaluation. @param root type of the variable that paths start from. */
export function estimateCost(checked: Checked, root: CelType | undefined): number {
  return new Estimator(checked, root).cost(checked.expr);
}

/** Returns the type of the attributes of a device, which have the same largest size, whatever their names. */
function attributeOf({ kind, params: [, value] }: CelType): CelType | undefined {
  return kind === 'map' && value?.name === ANY_NAME ? value : undefined;
}

/** Estimates the cost of one expression. */
export class Estimator {
  readonly checked: Checked;
  readonly #root: CelType | undefined;
  readonly #paths = new Map<Expr, readonly string[]>();
  readonly #sizes = new Map<Expr, Size>();
  readonly #entries = new Map<Expr, EntrySize>();
  readonly #locals = new Map<string, Local[]>();

  constructor(checked: Checked, root: CelType | undefined) {
    this.checked = checked;
    this.#root = root;
  }

  cost(expr: Expr): number {
    const name = this.checked.typeNameOf(expr) ?? this.checked.variableOf(expr);
    if (name !== undefined) {
      this.#paths.set(expr, [name]);
      return 1;
    }
    switch (expr.kind) {
      case 'literal':
        return 0;
      case 'ident':
        this.#paths.set(expr, this.#local(expr.name)?.path ?? [expr.name]);
        return 1;
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'message':
        return capped(40 + expr.fields.reduce((cost, { value }) => cost + this.cost(value), 0));
      case 'fold':
        return isBinding(expr) ? this.#binding(expr) : this.#fold(expr);
    }
  }

  sizeOf(expr: Expr): Size {
    return this.knownSize(expr) ?? UNKNOWN;
  }

  entriesOf(expr: Expr): EntrySize | undefined {
    return this.#entries.get(expr) ?? (expr.kind === 'ident' ? this.#local(expr.name)?.entries : undefined);
  }

  setEntries(expr: Expr, entries: EntrySize | undefined): void {
    if (entries) this.#entries.set(expr, entries);
  }

  pathOf(expr: Expr): readonly string[] {
    const local = expr.kind === 'ident' ? this.#local(expr.name) : undefined;
    return local?.path ?? this.#paths.get(expr) ?? [];
  }

  /** Returns the size by the schema of the value at a path. */
  sizeAt([first, ...steps]: readonly string[]): Size | undefined {
    if (first === undefined || !this.#root) return undefined;
    let type: CelType | undefined = this.#root;
    for (const step of steps) {
      if (step === '@items') type = type.kind === 'list' ? type.params[0] : undefined;
      else if (step === '@values') type = type.kind === 'map' ? type.params[1] : undefined;
      else if (step === '@keys') type = type.kind === 'map' ? type.params[0] : undefined;
      else type = type.fields?.get(step) ?? attributeOf(type);
      if (!type) return undefined;
    }
    return { min: 0, max: type.maxElements ?? 0 };
  }

  knownSize(expr: Expr): Size | undefined {
    const known = this.#sizes.get(expr) ?? literalSize(expr) ?? this.sizeAt(this.pathOf(expr));
    if (known) return known;
    if (isScalar(this.checked.typeOf(expr))) return fixed(1);
    return expr.kind === 'ident' ? this.#local(expr.name)?.size : undefined;
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #push(name: string, local: Local): void {
    const stack = this.#locals.get(name);
    if (stack) stack.push(local);
    else this.#locals.set(name, [local]);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }

  #select(expr: Select): number {
    const { operand, field, test } = expr;
    const cost = this.cost(operand);
    if (test) return cost;
    const { kind } = this.checked.typeOf(operand);
    this.#paths.set(expr, [...this.pathOf(operand), field]);
    return capped(cost + (kind === 'map' || kind === 'object' || kind === 'param' ? 1 : 0));
  }

  #call(call: Call): number {
    const target = call.target && !this.checked.isNamespaced(call) ? call.target : undefined;
    const [argument] = call.args;
    if (call.name === 'dyn' && argument) {
      const cost = this.cost(argument);
      const size = this.knownSize(argument);
      if (size) this.#sizes.set(call, size);
      this.setEntries(call, this.entriesOf(argument));
      return capped(cost + 1);
    }
    const argCosts = call.args.map((arg) => this.cost(arg));
    const targetCost = target ? this.cost(target) : 0;
    const overloads = this.checked.overloadsOf(call);
    const ids = call.name === '_?._' ? ['select_optional_field'] : overloads.map(({ id }) => id);
    let cost = 0;
    let size: Size | undefined;
    for (const id of ids) {
      const site: CallSite = { call, id, target, args: call.args, argCosts, estimator: this };
      const estimate = estimateCall(site);
      cost = Math.max(cost, estimate.cost);
      if (estimate.size) size = size ? union(size, estimate.size) : estimate.size;
      if ((id === 'index_list' || id === 'index_map') && argument) {
        size = this.entriesOf(argument)?.value;
        this.#paths.set(call, [...this.pathOf(argument), id === 'index_list' ? '@items' : '@values']);
      }
      size ??= this.knownSize(call);
    }
    if (size) this.#sizes.set(call, size);
    return capped(targetCost + cost);
  }

  #list(expr: ListLiteral): number {
    let cost = 10;
    let item: Size | undefined;
    for (const { value } of expr.items) {
      cost += this.cost(value);
      const size = this.sizeOf(value);
      item = item ? union(item, size) : size;
    }
    this.#entries.set(expr, { isList: true, key: fixed(1), value: item ?? fixed(0) });
    return capped(cost);
  }

  #map(expr: MapLiteral): number {
    let cost = 30;
    let sizes: { readonly key: Size; readonly value: Size } | undefined;
    for (const { key, value } of expr.entries) {
      cost += this.cost(key) + this.cost(value);
      const own = { key: this.sizeOf(key), value: this.sizeOf(value) };
      sizes = sizes ? { key: union(sizes.key, own.key), value: union(sizes.value, own.value) } : own;
    }
    this.#entries.set(expr, { isList: false, key: fixed(0), value: fixed(0), ...sizes });
    return capped(cost);
  }

  #fold(expr: Comprehension): number {
    const { range, init, condition, step, result, accumulator, variable, variable2 } = expr;
    let cost = this.cost(range) + this.cost(init);
    this.#pushBinding(accumulator, init);
    this.#pushVariables(expr);
    const each = capped(this.cost(condition) + this.cost(step));
    const stepEntries = this.entriesOf(step);
    this.#pop(variable);
    if (variable2 !== undefined) this.#pop(variable2);
    cost += this.cost(result);
    this.#pop(accumulator);
    const count = this.sizeOf(range);
    if (init.kind === 'literal') this.#sizes.set(expr, this.sizeOf(init));
    else if (init.kind === 'list' || init.kind === 'map') {
      this.#sizes.set(expr, count);
      this.setEntries(expr, stepEntries);
    }
    return capped(cost + capped(count.max * each));
  }

  #pushBinding(name: string, value: Expr): void {
    this.#push(name, { path: this.pathOf(value), size: this.knownSize(value), entries: this.entriesOf(value) });
  }

  #pushVariables({ range, variable, variable2 }: Comprehension): void {
    const entries = this.entriesOf(range);
    const isList = entries?.isList ?? this.checked.typeOf(range).kind === 'list';
    const path = this.pathOf(range);
    const key = { path: [...path, isList ? '@indices' : '@keys'], size: entries?.key, entries: undefined };
    const value = { path: [...path, isList ? '@items' : '@values'], size: entries?.value, entries: undefined };
    if (variable2 === undefined) this.#push(variable, isList ? value : key);
    else {
      this.#push(variable, key);
      this.#push(variable2, value);
    }
  }

  #binding(expr: Comprehension): number {
    const { range, init, result, accumulator } = expr;
    let cost = this.cost(range) + this.cost(init);
    this.#pushBinding(accumulator, init);
    cost += this.cost(result);
    const size = this.knownSize(result);
    const entries = this.entriesOf(result);
    this.#pop(accumulator);
    if (size) this.#sizes.set(expr, size);
    this.setEntries(expr, entries);
    return capped(cost);
  }
}

/** Reports whether a loop only gives a name to a value. */
function isBinding({ range, condition }: Comprehension): boolean {
  return range.kind === 'list' && range.items.length === 0 && condition.kind === 'literal' && condition.value === false;
}

function literalSize(expr: Expr): Size | undefined {
  switch (expr.kind) {
    case 'literal':
      if (typeof expr.value === 'string') return fixed(Array.from(expr.value).length);
      return fixed(expr.value instanceof Uint8Array ? expr.value.length : 1);
    case 'list':
      return fixed(expr.items.length);
    case 'map':
      return fixed(expr.entries.length);
    default:
      return undefined;
  }
}

const SCALARS: ReadonlySet<string> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

function isScalar(type: CelType): boolean {
  const [inner] = type.params;
  return SCALARS.has(type.kind) || (isOptional(type) && inner !== undefined && isScalar(inner));
}
