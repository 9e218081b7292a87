/**
 * A set of fields of an object, as `managedFields` writes it (`fieldsV1`, structured-merge-diff): a tree of path
 * elements, where `f:<name>` is a field of an object, `k:<keys>` an item of a list by its keys, and `v:<value>` an item
 * of a set. A field is a member when its node is empty, or holds `.` beside its children.
 */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

/** The node of a member without children. */
export const MEMBER: FieldSet = Object.freeze({});

/** The set without members. */
export const NOTHING: FieldSet = Object.freeze({});

const SELF = '.';

/** A set while it is made. */
export type Elements = Record<string, FieldSet>;

/** The node of a member with these children. */
export function memberWith(children: FieldSet): FieldSet {
  return isEmpty(children) ? MEMBER : { [SELF]: MEMBER, ...children };
}

export function isEmpty(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** Whether the field of a node is a member itself. */
export function isMember(node: FieldSet | undefined): boolean {
  return node !== undefined && (isEmpty(node) || SELF in node);
}

/** The nodes below a node, by element. */
export function childrenOf(node: FieldSet): [element: string, child: FieldSet][] {
  return Object.entries(node).filter(([element]) => element !== SELF);
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(a)) return b;
  if (isEmpty(b)) return a;
  const result: Elements = { ...a };
  for (const [element, node] of Object.entries(b)) {
    const present = result[element];
    result[element] = present ? unionOfNodes(present, node) : node;
  }
  return result;
}

function unionOfNodes(a: FieldSet, b: FieldSet): FieldSet {
  const children = union(withoutSelf(a), withoutSelf(b));
  return isMember(a) || isMember(b) ? memberWith(children) : children;
}

/** The members of `a` that are not members of `b`. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, (inA, inB) => inA && !inB);
}

/** The members of both. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, (inA, inB) => inA && inB);
}

/** Those fields of `a` for which `keeps` says so. */
function combine(a: FieldSet, b: FieldSet, keeps: (inA: boolean, inB: boolean) => boolean): FieldSet {
  const result: Elements = {};
  for (const [element, node] of childrenOf(a)) {
    const other = b[element];
    const children = combine(node, other ?? NOTHING, keeps);
    if (keeps(isMember(node), isMember(other))) result[element] = memberWith(children);
    else if (!isEmpty(children)) result[element] = children;
  }
  return result;
}

/** The set with every named field on the way to a member as a member: whoever owns a field keeps what holds it. */
export function withHolders(set: FieldSet): FieldSet {
  const result: Elements = {};
  for (const [element, node] of childrenOf(set)) {
    const children = withHolders(node);
    result[element] = element.startsWith('f:') || isMember(node) ? memberWith(children) : children;
  }
  return result;
}

/** The paths of the members, as errors write them: `.spec.containers[name="main"].image`. */
export function pathsOf(set: FieldSet, path = ''): string[] {
  return childrenOf(set)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([element, node]) => {
      const own = path + pathText(element);
      return isMember(node) ? [own, ...pathsOf(node, own)] : pathsOf(node, own);
    });
}

function pathText(element: string): string {
  const value = element.slice(2);
  switch (element[0]) {
    case 'k': {
      const keys = Object.entries(JSON.parse(value) as Record<string, unknown>);
      return `[${keys.map(([name, key]) => `${name}=${JSON.stringify(key)}`).join(',')}]`;
    }
    case 'v':
      return `[=${value}]`;
    default:
      return `.${value}`;
  }
}

function withoutSelf(node: FieldSet): FieldSet {
  const { [SELF]: _, ...children } = node;
  return children;
}
