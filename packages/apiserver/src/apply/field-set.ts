/**
 * A set of fields of an object, in the format of `managedFields` (`fieldsV1`, structured-merge-diff): a tree of path
 * elements. `f:<name>` is a field of an object, `k:<keys>` an item of a list by its keys, and `v:<value>` an item of a
 * set. A field is a member if its node is empty, or contains `.` beside its children.
 */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

/** Node of a member without children. */
export const MEMBER: FieldSet = Object.freeze({});

/** The empty set. */
export const NOTHING: FieldSet = Object.freeze({});

const SELF = '.';

/** Children of a set under construction. */
export type Elements = Record<string, FieldSet>;

/** Returns the node of a member with these children. */
export function memberWith(children: FieldSet): FieldSet {
  return isEmpty(children) ? MEMBER : { [SELF]: MEMBER, ...children };
}

export function isEmpty(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** Reports whether the field of a node is itself a member. */
export function isMember(node: FieldSet | undefined): boolean {
  return node !== undefined && (isEmpty(node) || SELF in node);
}

/** Returns the nodes below a node, by path element. */
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

/** Returns the members of `a` that are not members of `b`. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, (inA, inB) => inA && !inB);
}

/** Returns the members of both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, (inA, inB) => inA && inB);
}

/** Returns the fields of `a` that `keeps` selects. */
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

/** Adds the named fields that contain a member: a manager that owns a field also owns its parents. */
export function withHolders(set: FieldSet): FieldSet {
  const result: Elements = {};
  for (const [element, node] of childrenOf(set)) {
    const children = withHolders(node);
    result[element] = element.startsWith('f:') || isMember(node) ? memberWith(children) : children;
  }
  return result;
}

/** Returns the paths of the members in the format of errors: `.spec.containers[name="main"].image`. */
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
