/** A type of CEL, as the checker sees it. */
export interface CelType {
  readonly kind: TypeKind;
  /** Name of an object or opaque type, or of a type parameter. */
  readonly name: string;
  /** Element of a list; key and value of a map; parameter of an opaque type. */
  readonly params: readonly CelType[];
  /** Fields of an object, by their names in expressions. */
  readonly fields?: ReadonlyMap<string, CelType> | undefined;
  /** Largest number of elements or bytes of a value, for estimates of costs. */
  readonly maxElements?: number | undefined;
  /** Smallest size of a value in JSON, in bytes. */
  readonly minSize?: number | undefined;
}

export type TypeKind =
  | 'dyn'
  | 'null'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'duration'
  | 'timestamp'
  | 'list'
  | 'map'
  | 'object'
  | 'opaque'
  | 'type'
  | 'param'
  | 'error';

function simple(kind: TypeKind): CelType {
  return { kind, name: kind, params: [] };
}

export const DYN: CelType = simple('dyn');
export const NULL: CelType = simple('null');
export const BOOL: CelType = simple('bool');
export const INT: CelType = simple('int');
export const UINT: CelType = simple('uint');
export const DOUBLE: CelType = simple('double');
export const STRING: CelType = simple('string');
export const BYTES: CelType = simple('bytes');
export const DURATION: CelType = simple('duration');
export const TIMESTAMP: CelType = simple('timestamp');
export const ERROR: CelType = simple('error');

/** Name of the type of values that can be of any type, such as the attributes of a device. */
export const ANY_NAME = 'google.protobuf.Any';

/** Like {@link DYN}, for variables that are declared so. */
export const ANY: CelType = { ...DYN, name: ANY_NAME };

export function listOf(element: CelType): CelType {
  return { kind: 'list', name: 'list', params: [element] };
}

export function mapOf(key: CelType, value: CelType): CelType {
  return { kind: 'map', name: 'map', params: [key, value] };
}

export function opaque(name: string, ...params: readonly CelType[]): CelType {
  return { kind: 'opaque', name, params };
}

export function optionalOf(type: CelType): CelType {
  return opaque('optional_type', type);
}

/** Returns the type of a scalar that can be null. */
export function wrapperOf(type: CelType): CelType {
  return { ...type, name: `wrapper(${type.name})` };
}

function isWrapper({ kind, name }: CelType): boolean {
  return name === `wrapper(${kind})`;
}

export function isOptional({ kind, name }: CelType): boolean {
  return kind === 'opaque' && name === 'optional_type';
}

export function typeOf(type: CelType): CelType {
  return { kind: 'type', name: 'type', params: [type] };
}

const OPAQUE_NAMES: Readonly<Record<string, string>> = {
  ip: 'net.IP',
  cidr: 'net.CIDR',
  url: 'kubernetes.URL',
  quantity: 'kubernetes.Quantity',
  semver: 'kubernetes.Semver',
  format: 'kubernetes.NamedFormat',
};

const SIMPLE = new Map(
  [DYN, NULL, BOOL, INT, UINT, DOUBLE, STRING, BYTES, DURATION, TIMESTAMP].map((type) => [type.kind as string, type]),
);

/** Parses the notation of declarations: `list(A)`, `map(string,int)`, `optional(V)`, `ip`. */
export function parseType(text: string): CelType {
  const known = SIMPLE.get(text);
  if (known) return known;
  const name = OPAQUE_NAMES[text];
  if (name !== undefined) return opaque(name);
  const [, outer = '', inner = ''] = /^(\w+)\((.*)\)$/.exec(text) ?? [];
  const params = splitTypes(inner).map(parseType);
  if (outer === 'list') return { kind: 'list', name: 'list', params };
  if (outer === 'map') return { kind: 'map', name: 'map', params };
  if (outer === 'optional') return opaque('optional_type', ...params);
  if (outer === 'type') return { kind: 'type', name: 'type', params };
  return { kind: 'param', name: text, params: [] };
}

/** Splits types at the commas that are not within parentheses. */
export function splitTypes(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index <= text.length; index++) {
    const letter = text[index];
    if (letter === '(') depth += 1;
    else if (letter === ')') depth -= 1;
    else if ((letter === ',' && depth === 0) || (letter === undefined && index > start)) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return parts;
}

/** Formats a type as the errors of cel-go do. */
export function typeText(type: CelType): string {
  const { kind, name, params } = type;
  switch (kind) {
    case 'object':
      return name;
    case 'opaque':
    case 'list':
    case 'map':
    case 'type':
      return params.length === 0 ? name : `${name}(${params.map(typeText).join(', ')})`;
    case 'error':
      return '!error!';
    default:
      return name;
  }
}

/** Names of types whose kind has another name. */
const TYPE_NAMES: Partial<Record<TypeKind, string>> = {
  null: 'null_type',
  duration: 'google.protobuf.Duration',
  timestamp: 'google.protobuf.Timestamp',
};

/** Returns the name of a type, without its parameters. */
export function typeNameOfType({ kind, name }: CelType): string {
  return kind === 'object' || kind === 'opaque' ? name : (TYPE_NAMES[kind] ?? kind);
}

/** Bindings of the type parameters of a call. */
export type Substitution = Map<string, CelType>;

/** Types that accept `null`. */
const NULLABLE: ReadonlySet<TypeKind> = new Set(['object', 'opaque', 'duration', 'timestamp', 'null', 'dyn']);

/** Reports whether a value of the type `from` can be used as one of the type `to`, and binds type parameters. */
export function isAssignable(to: CelType, from: CelType, bound: Substitution): boolean {
  if (to.kind === 'param') return bindParameter(to, from, bound);
  if (from.kind === 'param') return bindParameter(from, to, bound);
  if (isWild(to) || isWild(from)) {
    // Parameters within a type that a dynamic value stands for are dynamic too.
    if (isWild(from)) bindAll(to, bound);
    return true;
  }
  if (from.kind === 'null') return NULLABLE.has(to.kind) || isWrapper(to);
  if (to.kind === 'null') return NULLABLE.has(from.kind) || isWrapper(from);
  if (to.kind === 'type' && from.kind === 'type') return true;
  if (to.kind !== from.kind) return false;
  if (to.name !== from.name && !isWrapper(to) && !isWrapper(from)) return false;
  return to.params.every((param, index) => isAssignable(param, from.params[index] ?? DYN, bound));
}

function isWild({ kind }: CelType): boolean {
  return kind === 'dyn' || kind === 'error';
}

function bindAll(type: CelType, bound: Substitution): void {
  if (type.kind === 'param') {
    if (!bound.has(type.name)) bound.set(type.name, DYN);
  } else {
    for (const param of type.params) bindAll(param, bound);
  }
}

function bindParameter(param: CelType, type: CelType, bound: Substitution): boolean {
  const known = follow(param, bound);
  const other = follow(type, bound);
  if (known.kind === 'param') {
    if (other.kind !== 'param' || other.name !== known.name) bound.set(known.name, other);
    return true;
  }
  if (!isAssignable(known, other, bound)) return false;
  if (isMoreGeneral(other, known)) bound.set(lastParameter(param, bound).name, other);
  return true;
}

/** Follows the bindings of a parameter to a type or a free parameter. */
function follow(type: CelType, bound: Substitution): CelType {
  let found = type;
  while (found.kind === 'param') {
    const next = bound.get(found.name);
    if (!next) break;
    found = next;
  }
  return found;
}

/** Follows the bindings of a parameter to the last parameter. */
function lastParameter(param: CelType, bound: Substitution): CelType {
  const next = bound.get(param.name);
  return next?.kind === 'param' ? lastParameter(next, bound) : param;
}

function isMoreGeneral(type: CelType, than: CelType): boolean {
  if (isWild(type) || type.kind === 'param') return true;
  if (than.kind === 'null' && NULLABLE.has(type.kind)) return true;
  return (
    type.kind === than.kind &&
    type.params.some(
      (param, index) => isMoreGeneral(param, than.params[index] ?? param) && param !== than.params[index],
    )
  );
}

/** Returns the more general of two types that can be assigned to each other. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isAtLeastAsGeneral(a, b) ? a : b;
}

function isAtLeastAsGeneral(a: CelType, b: CelType): boolean {
  if (isWild(a) || a.kind === 'param') return true;
  if (a.kind !== b.kind || a.name !== b.name) return false;
  return a.kind === 'type' || a.params.every((param, index) => isAtLeastAsGeneral(param, b.params[index] ?? param));
}

/** Replaces type parameters by their bindings; those without one become dynamic if `free` is set. */
export function substitute(type: CelType, bound: Substitution, free: boolean): CelType {
  if (type.kind === 'param') {
    const known = bound.get(type.name);
    if (known && known !== type) return substitute(known, bound, free);
    return free ? DYN : type;
  }
  if (type.params.length === 0) return type;
  return { ...type, params: type.params.map((param) => substitute(param, bound, free)) };
}
