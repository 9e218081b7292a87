import { mergeSort } from '../representation/merge-sort.ts';
import type { Paused, Turn } from '../turn.ts';
import type { Atom } from './atom.ts';
import { isMap } from './atom.ts';
import { elementText } from './path-element.ts';

/**
 * A set of fields of an object: a tree of path elements. `f:<name>` is a field of an object, `k:<keys>` an item of a list
 * by its keys, and `v:<value>` an item of a set. A set can have very many elements, so its functions pause.
 */
export interface FieldSet {
  /** Whether the field of this node is in the set. The root is not a field, and never a member. */
  readonly isMember: boolean;
  readonly children: ReadonlyMap<string, FieldSet>;
}

/** The format of sets in `managedFields` (`fieldsV1`, structured-merge-diff). A member has no children, or the child `.`. */
export interface FieldsV1 {
  readonly [element: string]: FieldsV1;
}

const NO_CHILDREN: ReadonlyMap<string, FieldSet> = new Map();

/** Node of a member without children. */
export const MEMBER: FieldSet = Object.freeze({ isMember: true, children: NO_CHILDREN });

/** The empty set. */
export const NOTHING: FieldSet = Object.freeze({ isMember: false, children: NO_CHILDREN });

const SELF = '.';

/** Children of a set under construction. */
export type Elements = Map<string, FieldSet>;

/** Returns a node with these children. */
export function nodeOf(isMember: boolean, children: ReadonlyMap<string, FieldSet>): FieldSet {
  return children.size > 0 ? { isMember, children } : isMember ? MEMBER : NOTHING;
}

export function isEmpty({ isMember, children }: FieldSet): boolean {
  return !isMember && children.size === 0;
}

/** Reads a set. It must be JSON, and not be deeper than a request body. */
export function* fromFieldsV1(fields: FieldsV1, turn: Turn): Paused<FieldSet> {
  return nodeOf(false, yield* childrenFrom(fields, turn));
}

function* childrenFrom(fields: FieldsV1, turn: Turn): Paused<Elements> {
  const children: Elements = new Map();
  for (const element of Object.keys(fields)) {
    if (element === SELF) continue;
    if (turn.step()) yield* turn.pause();
    const node = isMap(fields[element]) ? fields[element] : {};
    const below = yield* childrenFrom(node, turn);
    children.set(element, nodeOf(below.size === 0 || SELF in node, below));
  }
  return children;
}

/** Returns a set in the order of a real server: fields, then items by keys, then by value. */
export function* toFieldsV1(set: FieldSet, turn: Turn): Paused<FieldsV1> {
  const fields: Record<string, FieldsV1> = {};
  if (set.isMember && set.children.size > 0) fields[SELF] = {};
  for (const element of yield* sortedElements(set, turn)) {
    if (turn.step()) yield* turn.pause();
    const node = set.children.get(element) ?? MEMBER;
    fields[element] = node.children.size === 0 ? {} : yield* toFieldsV1(node, turn);
  }
  return fields;
}

/** Returns the set with one path, for example `f:spec`, `f:replicas`. */
export function pathSet(...path: readonly string[]): FieldSet {
  return path.reduceRight((node, element) => fieldsOf({ [element]: node }), MEMBER);
}

/** Returns the set with these nodes. */
export function fieldsOf(nodes: Readonly<Record<string, FieldSet>>): FieldSet {
  return nodeOf(false, new Map(Object.entries(nodes)));
}

/** Reports whether a path is a member. */
export function contains(set: FieldSet, path: readonly string[]): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path) node = node?.children.get(element);
  return node?.isMember === true;
}

export function* union(a: FieldSet, b: FieldSet, turn: Turn): Paused<FieldSet> {
  if (isEmpty(a)) return b;
  if (isEmpty(b)) return a;
  const children: Elements = new Map();
  for (const [element, node] of a.children) {
    if (turn.step()) yield* turn.pause();
    const other = b.children.get(element);
    children.set(element, other ? yield* union(node, other, turn) : node);
  }
  for (const [element, node] of b.children) {
    if (turn.step()) yield* turn.pause();
    if (!a.children.has(element)) children.set(element, node);
  }
  return nodeOf(a.isMember || b.isMember, children);
}

/** Returns the members of `a` that are not members of `b`. */
export function difference(a: FieldSet, b: FieldSet, turn: Turn): Paused<FieldSet> {
  return combine(a, b, (inA, inB) => inA && !inB, turn);
}

/** Returns the members of both sets. */
export function intersection(a: FieldSet, b: FieldSet, turn: Turn): Paused<FieldSet> {
  return combine(a, b, (inA, inB) => inA && inB, turn);
}

/** Returns the fields of `a` that `keeps` selects. */
function* combine(
  a: FieldSet,
  b: FieldSet,
  keeps: (inA: boolean, inB: boolean) => boolean,
  turn: Turn,
): Paused<FieldSet> {
  const children: Elements = new Map();
  for (const [element, node] of a.children) {
    if (turn.step()) yield* turn.pause();
    const other = b.children.get(element) ?? NOTHING;
    const left =
      node.children.size === 0
        ? nodeOf(keeps(node.isMember, other.isMember), NO_CHILDREN)
        : yield* combine(node, other, keeps, turn);
    if (!isEmpty(left)) children.set(element, left);
  }
  return nodeOf(keeps(a.isMember, b.isMember), children);
}

/** Returns the fields of `a` that are neither members of `b` nor below one. */
export function* without(a: FieldSet, b: FieldSet, turn: Turn): Paused<FieldSet> {
  if (b.children.size === 0) return a;
  const children: Elements = new Map();
  for (const [element, node] of a.children) {
    if (turn.step()) yield* turn.pause();
    const other = b.children.get(element);
    if (other?.isMember) continue;
    const left = other ? yield* without(node, other, turn) : node;
    if (!isEmpty(left)) children.set(element, left);
  }
  return nodeOf(a.isMember, children);
}

/**
 * Adds the declared fields that contain a member: a manager that owns a field also owns its parents. (Upstream:
 * `Set.EnsureNamedFieldsAreMembers`.)
 */
export function* withHolders(set: FieldSet, atom: Atom | undefined, turn: Turn): Paused<FieldSet> {
  const children: Elements = new Map();
  for (const [element, node] of set.children) {
    if (turn.step()) yield* turn.pause();
    const declared = element.startsWith('f:') ? atom?.map?.field(element.slice(2)) : undefined;
    const type = element.startsWith('k:') ? atom?.list?.items : (declared?.type ?? atom?.map?.rest);
    const below = node.children.size === 0 ? node : yield* withHolders(node, type, turn);
    children.set(element, nodeOf(node.isMember || declared !== undefined, below.children));
  }
  return nodeOf(set.isMember, children);
}

/**
 * Returns the paths of the members in the format and order of errors: the members of a node, then those below each
 * child. For example `.spec.containers[name="main"].image`.
 */
export function* pathsOf(set: FieldSet, turn: Turn): Paused<string[]> {
  const paths: string[] = [];
  yield* addPaths(set, '', paths, turn);
  return paths;
}

function* addPaths(set: FieldSet, path: string, paths: string[], turn: Turn): Paused<void> {
  const { children } = set;
  const elements = yield* sortedElements(set, turn);
  for (const element of elements) {
    if (turn.step()) yield* turn.pause();
    if (children.get(element)?.isMember) paths.push(path + elementText(element));
  }
  for (const element of elements) {
    if (turn.step()) yield* turn.pause();
    const node = children.get(element);
    if (node && node.children.size > 0) yield* addPaths(node, path + elementText(element), paths, turn);
  }
}

/** Minimum number of elements that are sorted with pauses. */
const SORT_LATER_FROM = 1024;

function sortedElements({ children }: FieldSet, turn: Turn): Paused<string[]> {
  return sorted([...children.keys()], turn);
}

function* sorted(elements: string[], turn: Turn): Paused<string[]> {
  if (elements.length < SORT_LATER_FROM) return elements.sort(byElement);
  return yield* mergeSort(elements, byElement, turn);
}

const KINDS = 'fkvi';

function byElement(a: string, b: string): number {
  const kinds = KINDS.indexOf(a.charAt(0)) - KINDS.indexOf(b.charAt(0));
  return kinds || (a < b ? -1 : a > b ? 1 : 0);
}
