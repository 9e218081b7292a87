import type { Atom } from './atom.ts';
import { elementText } from './path-element.ts';

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

/** Returns the set below a node, without the node itself. */
export function setBelow(node: FieldSet): FieldSet {
  if (!(SELF in node)) return node;
  const { [SELF]: _, ...children } = node;
  return children;
}

/** Returns the set with one path, for example `f:spec`, `f:replicas`. */
export function pathSet(...path: readonly string[]): FieldSet {
  return path.reduceRight<FieldSet>((node, element) => ({ [element]: node }), MEMBER);
}

/** Reports whether a path is a member. */
export function contains(set: FieldSet, path: readonly string[]): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path) node = node?.[element];
  return isMember(node);
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
  const children = union(setBelow(a), setBelow(b));
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

/** Returns the fields of `a` that are neither members of `b` nor below one. */
export function without(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(a) || isEmpty(b)) return a;
  const result: Elements = {};
  for (const [element, node] of childrenOf(a)) {
    const other = b[element];
    if (other && isMember(other)) continue;
    const children = other ? without(setBelow(node), other) : setBelow(node);
    if (isMember(node)) result[element] = memberWith(children);
    else if (!isEmpty(children)) result[element] = children;
  }
  return result;
}

/**
 * Adds the declared fields that contain a member: a manager that owns a field also owns its parents. (Upstream:
 * `Set.EnsureNamedFieldsAreMembers`.)
 */
export function withHolders(set: FieldSet, atom: Atom | undefined): FieldSet {
  const result: Elements = {};
  for (const [element, node] of childrenOf(set)) {
    const declared = element.startsWith('f:') ? atom?.map?.field(element.slice(2)) : undefined;
    const type = element.startsWith('k:') ? atom?.list?.items : (declared?.type ?? atom?.map?.rest);
    const children = withHolders(node, type);
    result[element] = declared || isMember(node) ? memberWith(children) : children;
  }
  return result;
}

/**
 * Returns the paths of the members in the format and order of errors: the members of a node, then those below each
 * child. For example `.spec.containers[name="main"].image`.
 */
export function pathsOf(set: FieldSet, path = ''): string[] {
  const children = childrenOf(set).sort(byElement);
  const members = children.filter(([, node]) => isMember(node)).map(([element]) => path + elementText(element));
  return [...members, ...children.flatMap(([element, node]) => pathsOf(node, path + elementText(element)))];
}

/** Returns the set with its elements in the order of a real server: fields, then items by keys, then by value. */
export function sortedSet(set: FieldSet): FieldSet {
  const children = childrenOf(set)
    .sort(byElement)
    .map(([element, node]) => [element, sortedSet(node)] as const);
  return Object.fromEntries(SELF in set ? [[SELF, MEMBER], ...children] : children);
}

const KINDS = 'fkvi';

function byElement([a]: readonly [string, FieldSet], [b]: readonly [string, FieldSet]): number {
  const kinds = KINDS.indexOf(a.charAt(0)) - KINDS.indexOf(b.charAt(0));
  return kinds || (a < b ? -1 : a > b ? 1 : 0);
}
