import type { FunctionTable, Overload } from './functions.ts';
import { fieldFault, messageOf, mistypedField } from './messages.ts';
import type { Call, Comprehension, Expr, Issue, MessageField, MessageLiteral, Select } from './syntax.ts';
import type { CelType, Substitution } from './types.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  ERROR,
  INT,
  isAssignable,
  isOptional,
  listOf,
  mapOf,
  mostGeneral,
  NULL,
  opaque,
  optionalOf,
  STRING,
  substitute,
  TIMESTAMP,
  typeOf,
  typeText,
  UINT,
} from './types.ts';

/** The names that an expression can use. */
export interface Environment {
  readonly variables: Readonly<Record<string, CelType>>;
  readonly functions: FunctionTable;
  /** Whether the macro `cel.bind` is declared. Default: false. */
  readonly hasBindings?: boolean;
}

/** A checked expression. */
export interface Checked {
  readonly expr: Expr;
  readonly type: CelType;
  readonly typeOf: (expr: Expr) => CelType;
  /** Returns the signatures that a call can have at run time. */
  readonly overloadsOf: (call: Call) => readonly Overload[];
  /** Returns the name of the type that an expression names; `undefined` for any other expression. */
  readonly typeNameOf: (expr: Expr) => string | undefined;
  /** Returns the name of the variable that a selection names, such as `a.b` if that is a variable of the environment. */
  readonly variableOf: (expr: Expr) => string | undefined;
  /** Returns whether a call has a namespace rather than a target: `optional.of(1)`. */
  readonly isNamespaced: (call: Call) => boolean;
  /** Names of the variables that the expression uses. */
  readonly variables: ReadonlySet<string>;
}

/** Types by their names in expressions. */
const TYPE_NAMES: Readonly<Record<string, CelType>> = {
  bool: BOOL,
  int: INT,
  uint: UINT,
  double: DOUBLE,
  string: STRING,
  bytes: BYTES,
  null_type: NULL,
  list: listOf(DYN),
  map: mapOf(DYN, DYN),
  type: typeOf(DYN),
  optional_type: optionalOf(DYN),
  'google.protobuf.Duration': DURATION,
  'google.protobuf.Timestamp': TIMESTAMP,
  'net.IP': opaque('net.IP'),
  'net.CIDR': opaque('net.CIDR'),
  'kubernetes.URL': opaque('kubernetes.URL'),
  'kubernetes.Quantity': opaque('kubernetes.Quantity'),
  'kubernetes.Semver': opaque('kubernetes.Semver'),
};

const LITERALS: Readonly<Record<string, CelType>> = {
  int: INT,
  uint: UINT,
  double: DOUBLE,
  string: STRING,
  bytes: BYTES,
  bool: BOOL,
  null: NULL,
};

/** Determines the types of an expression. Messages follow cel-go's checker. */
export function check(expr: Expr, environment: Environment): { readonly checked: Checked; readonly issues: Issue[] } {
  const checker = new Checker(environment);
  const type = checker.typeOfExpr(expr);
  return { checked: checker.result(expr, type), issues: checker.issues };
}

class Checker {
  readonly issues: Issue[] = [];
  readonly #environment: Environment;
  readonly #types = new Map<Expr, CelType>();
  readonly #overloads = new Map<Call, readonly Overload[]>();
  readonly #typeNames = new Map<Expr, string>();
  readonly #qualified = new Map<Expr, string>();
  readonly #namespaced = new Set<Call>();
  readonly #used = new Set<string>();
  readonly #locals: (readonly [name: string, type: CelType])[] = [];
  #bound: Substitution = new Map();
  #parameters = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  result(expr: Expr, type: CelType): Checked {
    const final = (known: CelType): CelType => substitute(known, this.#bound, true);
    return {
      expr,
      type: final(type),
      typeOf: (node) => final(this.#types.get(node) ?? DYN),
      overloadsOf: (call) => this.#overloads.get(call) ?? [],
      typeNameOf: (node) => this.#typeNames.get(node),
      variableOf: (node) => this.#qualified.get(node),
      isNamespaced: (call) => this.#namespaced.has(call),
      variables: this.#used,
    };
  }

  typeOfExpr(expr: Expr): CelType {
    const type = this.#infer(expr);
    this.#types.set(expr, type);
    return type;
  }

  #report(at: number, message: string): CelType {
    this.issues.push({ at, message });
    return ERROR;
  }

  #text(type: CelType): string {
    return typeText(substitute(type, this.#bound, false));
  }

  #infer(expr: Expr): CelType {
    switch (expr.kind) {
      case 'literal':
        return LITERALS[expr.type] ?? DYN;
      case 'ident':
        return this.#identifier(expr, expr.name);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return listOf(this.#elements(expr.items));
      case 'map': {
        const keys = this.#elements(expr.entries.map(({ key }) => ({ value: key, optional: false })));
        return mapOf(keys, this.#elements(expr.entries));
      }
      case 'message':
        return this.#message(expr);
      case 'fold':
        return this.#fold(expr);
    }
  }

  #message({ at, name, fields }: MessageLiteral): CelType {
    const message = messageOf(name);
    if (message) {
      for (const field of fields) this.#messageField(field, message.fields[field.name]);
      return message.type;
    }
    const { variables } = this.#environment;
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (variable) this.#report(at, `'${this.#text(variable)}' is not a type`);
    else if (Object.hasOwn(TYPE_NAMES, name) && !name.startsWith('kubernetes.'))
      this.#report(at, `'${name}' is not a message type`);
    else return this.#report(at, `undeclared reference to '${name}' (in container '')`);
    for (const field of fields) {
      this.typeOfExpr(field.value);
      this.#report(field.at, fieldFault(name, field.name));
    }
    return ERROR;
  }

  /** @param wanted type of the field; `undefined` if the message does not have it. */
  #messageField({ at, name, value, optional }: MessageField, wanted: CelType | undefined): void {
    const type = this.#entry(value, optional);
    const bound = new Map(this.#bound);
    if (!wanted) this.#report(at, `undefined field '${name}'`);
    else if (isAssignable(wanted, type, bound)) this.#bound = bound;
    else this.#report(at, mistypedField(name, typeText(wanted), type));
  }

  /** Returns the type of a value in a literal: that within an optional value if it is one. */
  #entry(value: Expr, optional: boolean): CelType {
    const type = this.#resolved(this.typeOfExpr(value));
    if (!optional) return type;
    if (isOptional(type)) return type.params[0] ?? DYN;
    if (type.kind !== 'dyn' && type.kind !== 'error') {
      this.#report(value.at, `expected type 'optional_type(${this.#text(type)})' but found '${this.#text(type)}'`);
    }
    return type;
  }

  #identifier(expr: Expr, name: string): CelType {
    const local = this.#locals.findLast(([known]) => known === name);
    if (local) return local[1];
    const { variables } = this.#environment;
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (variable) {
      this.#used.add(name);
      return variable;
    }
    const named = Object.hasOwn(TYPE_NAMES, name) ? TYPE_NAMES[name] : undefined;
    const dot = expr.kind === 'ident' && expr.isAbsolute ? '.' : '';
    if (!named) return this.#report(expr.at, `undeclared reference to '${dot}${name}' (in container '')`);
    this.#typeNames.set(expr, name);
    return typeOf(named);
  }

  #select(expr: Select): CelType {
    const path = pathOf(expr);
    if (path !== undefined && !expr.test) {
      if (Object.hasOwn(TYPE_NAMES, path)) return this.#identifier(expr, path);
      // Holds even if a local variable has the name of the first segment, as in cel-go.
      if (Object.hasOwn(this.#environment.variables, path)) {
        this.#qualified.set(expr, path);
        return this.#identifier(expr, path);
      }
    }
    const operand = this.#resolved(this.typeOfExpr(expr.operand));
    const field = this.#field(expr, operand, expr.field);
    return expr.test ? BOOL : field;
  }

  #resolved(type: CelType): CelType {
    return substitute(type, this.#bound, false);
  }

  #field({ at }: Expr, type: CelType, name: string): CelType {
    switch (type.kind) {
      case 'object': {
        // The real server also finds a field whose name is a keyword without its escape.
        const field = type.fields?.get(name) ?? type.fields?.get(`__${name}__`);
        return field ?? this.#report(at, `undefined field '${name}'`);
      }
      case 'map':
        return type.params[1] ?? DYN;
      case 'dyn':
      case 'error':
      case 'param':
        return DYN;
      case 'opaque':
        if (isOptional(type))
          return optionalOf(this.#field({ at } as Expr, this.#resolved(type.params[0] ?? DYN), name));
        // cel-go declares these types as objects without fields.
        if (type.name.startsWith('kubernetes.')) {
          return this.#report(at, `unexpected failed resolution of '${type.name}'`);
        }
        break;
      default:
        break;
    }
    return this.#report(at, `type '${this.#text(type)}' does not support field selection`);
  }

  #elements(items: readonly { readonly value: Expr; readonly optional: boolean }[]): CelType {
    let element: CelType | undefined;
    for (const { value, optional } of items) {
      const type = this.#entry(value, optional);
      if (!element) {
        element = type;
        continue;
      }
      const bound = new Map(this.#bound);
      if (isAssignable(element, type, bound)) {
        this.#bound = bound;
        element = mostGeneral(element, type);
      } else {
        element = DYN;
      }
    }
    return element ?? this.#parameter();
  }

  #parameter(): CelType {
    this.#parameters += 1;
    return { kind: 'param', name: `_var${this.#parameters}`, params: [] };
  }

  #fold(expr: Comprehension): CelType {
    const range = this.#resolved(this.typeOfExpr(expr.range));
    const accumulator = this.typeOfExpr(expr.init);
    const [first, second] = this.#loopTypes(expr, range);
    const outer = this.#locals.length;
    this.#locals.push([expr.accumulator, accumulator], [expr.variable, expr.variable2 === undefined ? second : first]);
    if (expr.variable2 !== undefined) this.#locals.push([expr.variable2, second]);
    this.#expect(expr.condition, BOOL);
    this.#expect(expr.step, accumulator);
    this.#locals.length = outer + 1;
    const result = this.typeOfExpr(expr.result);
    this.#locals.length = outer;
    return result;
  }

  /** Returns the types of index or key, and of item or value; of a map with one variable, the key twice. */
  #loopTypes({ range: expr, variable2 }: Comprehension, range: CelType): readonly [CelType, CelType] {
    switch (range.kind) {
      case 'list':
        return [INT, range.params[0] ?? DYN];
      case 'map': {
        const [key = DYN, value = DYN] = range.params;
        return [key, variable2 === undefined ? key : value];
      }
      case 'dyn':
      case 'error':
      case 'param':
        return [DYN, DYN];
      default: {
        const rule = 'cannot be range of a comprehension (must be list, map, or dynamic)';
        this.#report(expr.at, `expression of type '${this.#text(range)}' ${rule}`);
        return [ERROR, ERROR];
      }
    }
  }

  #expect(expr: Expr, wanted: CelType): void {
    const type = this.typeOfExpr(expr);
    const bound = new Map(this.#bound);
    if (isAssignable(wanted, type, bound)) this.#bound = bound;
    else this.#report(expr.at, `expected type '${this.#text(wanted)}' but found '${this.#text(type)}'`);
  }

  #call(call: Call): CelType {
    const { functions } = this.#environment;
    if (call.name === '_?._') return this.#optionalSelect(call);
    if (call.name === '_&&_' || call.name === '_||_') {
      for (const arg of call.args) this.#expect(arg, BOOL);
      this.#overloads.set(call, functions.get(call.name) ?? []);
      return BOOL;
    }
    const path = call.target && pathOf(call.target);
    const qualified = path === undefined ? undefined : `${path}.${call.name}`;
    if (qualified !== undefined && functions.has(qualified)) {
      this.#namespaced.add(call);
      return this.#resolve(call, qualified, undefined);
    }
    const target = call.target && this.typeOfExpr(call.target);
    if (!functions.has(call.name)) {
      for (const arg of call.args) this.typeOfExpr(arg);
      return this.#report(call.at, `undeclared reference to '${call.name}' (in container '')`);
    }
    return this.#resolve(call, call.name, target);
  }

  #optionalSelect(call: Call): CelType {
    const [operand, name] = call.args;
    if (!operand || name?.kind !== 'literal' || typeof name.value !== 'string') return ERROR;
    const type = this.#resolved(this.typeOfExpr(operand));
    this.typeOfExpr(name);
    const field = this.#field(call, isOptional(type) ? this.#resolved(type.params[0] ?? DYN) : type, name.value);
    return isOptional(field) ? field : optionalOf(field);
  }

  #resolve(call: Call, name: string, target: CelType | undefined): CelType {
    const args = [...(target ? [target] : []), ...call.args.map((arg) => this.typeOfExpr(arg))];
    const found: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of this.#environment.functions.get(name) ?? []) {
      if (overload.member !== (target !== undefined) || overload.params.length !== args.length) continue;
      const fresh = this.#instantiate(overload);
      const bound = new Map(this.#bound);
      if (!fresh.params.every((param, index) => isAssignable(param, args[index] ?? DYN, bound))) continue;
      this.#bound = bound;
      found.push(overload);
      const type = this.#resolved(fresh.result);
      if (!result) result = type;
      else if (result.kind !== 'dyn' && typeText(type) !== typeText(result)) result = DYN;
    }
    this.#overloads.set(call, found);
    if (result) return result;
    if (args.some(({ kind }) => kind === 'error')) return ERROR;
    const texts = args.map((type) => typeText(substitute(type, this.#bound, true)));
    const shown = target ? `${texts[0]}.(${texts.slice(1).join(', ')})` : `(${texts.join(', ')})`;
    return this.#report(call.at, `found no matching overload for '${name}' applied to '${shown}'`);
  }

  /** Returns a signature whose type parameters belong to one call. */
  #instantiate({ params, result }: Overload): Pick<Overload, 'params' | 'result'> {
    const own: Substitution = new Map();
    const fresh = (type: CelType): CelType => {
      if (type.kind === 'param') {
        const known = own.get(type.name) ?? this.#parameter();
        own.set(type.name, known);
        return known;
      }
      return type.params.length === 0 ? type : { ...type, params: type.params.map(fresh) };
    };
    return { params: params.map(fresh), result: fresh(result) };
  }
}

/** Returns the dotted path of identifiers that an expression consists of; `undefined` for another expression. */
function pathOf(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name;
  if (expr.kind !== 'select' || expr.test) return undefined;
  const path = pathOf(expr.operand);
  return path === undefined ? undefined : `${path}.${expr.field}`;
}
