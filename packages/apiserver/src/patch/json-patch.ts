import * as z from 'zod';
import { copiedJson } from '../schema/copy-json.ts';
import { badRequest, StatusError } from '../status.ts';
import type { Paused } from '../turn.ts';
import { complete, Turn } from '../turn.ts';
import { copyNumberText, numberText } from '../schema/number-texts.ts';
import { jsonType } from '../resources/metadata-types.ts';
import { mergeSort } from '../representation/merge-sort.ts';
import { setField } from '../schema/set-field.ts';
import { LongLists } from './long-lists.ts';
import { isObject } from './merge-patch.ts';

/** kube-apiserver's limits on the operations of a JSON patch, and on the bytes that its copies add. */
const OPERATIONS_LIMIT = 10_000;
const COPIES_LIMIT = 3 * 1024 * 1024;

const pointer = z.string().regex(/^(\/.*)?$/s);

/** A missing value is null, as in the library of kube-apiserver. */
const operand = z.unknown().default(null);

const operations = z.array(
  z.discriminatedUnion('op', [
    z.object({ op: z.literal('add'), path: pointer, value: operand }),
    z.object({ op: z.literal('replace'), path: pointer, value: operand }),
    z.object({ op: z.literal('test'), path: pointer, value: operand }),
    z.object({ op: z.literal('remove'), path: pointer }),
    z.object({ op: z.literal('move'), path: pointer, from: pointer }),
    z.object({ op: z.literal('copy'), path: pointer, from: pointer }),
  ]),
);

/** Fields of an operation that are strings. */
const TEXTS: ReadonlySet<string> = new Set(['op', 'path', 'from']);

type Operation = z.infer<typeof operations>[number];

/**
 * Applies an RFC 6902 JSON patch.
 *
 * @throws {StatusError} 400 if the patch is not a list, 413 if it is too long, 422 if an operation is invalid, a test
 *   fails, a path does not exist, or the copies are too large.
 */
export function jsonPatch(target: unknown, sent: unknown): unknown {
  return complete(jsonPatching(target, sent, new Turn()));
}

/** Like {@link jsonPatch}, with pauses. */
export function* jsonPatching(target: unknown, sent: unknown, turn: Turn): Paused<unknown> {
  // The library of kube-apiserver reads null as a list without operations.
  const patch = sent ?? [];
  if (Array.isArray(patch) && patch.length > OPERATIONS_LIMIT) {
    const detail = `The allowed maximum operations in a JSON patch is ${OPERATIONS_LIMIT}, got ${patch.length}`;
    throw new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: ${detail}`);
  }
  const fault = Array.isArray(patch) ? operationFault(patch) : undefined;
  if (fault !== undefined) throw badRequest(`error decoding patch: json: cannot unmarshal ${fault}`);
  const parsed = operations.safeParse(patch);
  if (!parsed.success) {
    if (Array.isArray(patch)) throw failed();
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${typeof patch} into Go value of type []handlers.jsonPatchOp`,
    );
  }
  // Wraps the document in a root, so that the path '' is a field like any other.
  const document = { root: { '': yield* copiedJson(target, turn) }, lists: new LongLists() };
  let copied = 0;
  for (const [index, operation] of parsed.data.entries()) {
    if (turn.step()) yield* turn.pause();
    if (operation.op === 'test') testNumber(document, operation, (patch as object[])[index]);
    copied += apply(document, operation, copied);
    if (operation.op === 'add' || operation.op === 'replace')
      rememberNumber(document, operation, (patch as object[])[index]);
  }
  document.lists.flush();
  yield* sortTouched(document, parsed.data, turn);
  return document.root[''];
}

/** The library of kube-apiserver sorts the fields of objects that it looks into. The others keep their order. */
function* sortTouched({ root }: Document, operations: readonly Operation[], turn: Turn): Paused<void> {
  const touched = new Set<Record<string, unknown>>();
  const paths = operations.flatMap((each) => ('from' in each ? [each.from, each.path] : [each.path]));
  for (const path of paths) {
    let value: unknown = root[''];
    for (const step of parsePointer(path).slice(1)) {
      if (turn.step()) yield* turn.pause();
      if (isObject(value)) touched.add(value);
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) break;
      value = (value as Readonly<Record<string, unknown>>)[step];
    }
  }
  for (const object of touched) yield* sortFields(object, turn);
}

function* sortFields(object: Record<string, unknown>, turn: Turn): Paused<void> {
  const fields = Object.keys(object);
  const isSorted = fields.every((field, index) => index === 0 || (fields[index - 1] as string) <= field);
  if (isSorted) return;
  for (const field of yield* mergeSort(fields, (a, b) => (a < b ? -1 : 1), turn)) {
    if (turn.step()) yield* turn.pause();
    const value = object[field];
    Reflect.deleteProperty(object, field);
    setField(object, field, value);
  }
}

/** A document that a patch changes. */
interface Document {
  readonly root: { '': unknown };
  readonly lists: LongLists;
}

/** Returns the first value whose type Go cannot decode into an operation. `null` is an operation without fields. */
function operationFault(patch: readonly unknown[]): string | undefined {
  for (const operation of patch) {
    if (operation === null) continue;
    if (!isObject(operation)) return `${jsonType(operation)} into Go value of type handlers.jsonPatchOp`;
    for (const [field, value] of Object.entries(operation)) {
      if (!TEXTS.has(field) || value === null || typeof value === 'string') continue;
      return `${jsonType(value)} into Go struct field jsonPatchOp.${field} of type string`;
    }
  }
  return undefined;
}

/** Remembers how the number of an operation is written, for the decoder of the result. */
function rememberNumber(document: Document, { path }: Operation, sent: object | undefined): void {
  if (!sent || numberText(sent, 'value') === undefined) return;
  const { parent, last } = parentOf(document, parsePointer(path));
  if (typeof parent === 'object' && parent !== null) copyNumberText(sent, 'value', parent, last);
}

/** A real server compares the texts of numbers: `1.0` is not `1`. @throws {StatusError} 422 */
function testNumber(document: Document, { path }: Operation, sent: object | undefined): void {
  const expected = sent && numberText(sent, 'value');
  if (expected === undefined) return;
  const steps = parsePointer(path);
  const { parent, last } = parentOf(document, steps);
  const known = typeof parent === 'object' && parent !== null ? numberText(parent, last) : undefined;
  if (expected !== (known ?? String(readField(document, steps)))) throw failed();
}

/** Applies an operation, and returns the number of bytes that it copied. */
function apply(document: Document, operation: Operation, copied: number): number {
  const steps = parsePointer(operation.path);
  switch (operation.op) {
    case 'add':
      add(document, steps, operation.value);
      break;
    case 'remove':
      remove(document, steps);
      break;
    case 'replace':
      replace(document, steps, operation.value);
      break;
    case 'move': {
      const from = parsePointer(operation.from);
      const value = read(document, from);
      remove(document, from);
      add(document, steps, value);
      break;
    }
    case 'copy': {
      const value = readField(document, parsePointer(operation.from));
      document.lists.flushWithin(value);
      const json = JSON.stringify(value);
      const size = Buffer.byteLength(json);
      if (copied + size > COPIES_LIMIT) throw failed();
      add(document, steps, JSON.parse(json));
      return size;
    }
    case 'test':
      if (!document.lists.areEqual(readField(document, steps), operation.value)) throw failed();
  }
  return 0;
}

type Steps = readonly [...parents: string[], last: string];

function parsePointer(text: string): Steps {
  const steps = text.split('/').map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = steps.pop() ?? '';
  return [...steps, last];
}

function read({ root, lists }: Document, steps: Steps): unknown {
  let value: unknown = root;
  for (const step of steps) value = childOf(lists, value, step);
  return value;
}

function childOf(lists: LongLists, value: unknown, step: string): unknown {
  if (Array.isArray(value)) return lists.at(value, indexIn(step, lists.lengthOf(value) - 1));
  if (isObject(value) && Object.hasOwn(value, step)) return value[step];
  throw failed();
}

/** Returns a value whose parent exists. A missing field is null, as in the library of kube-apiserver. */
function readField(document: Document, steps: Steps): unknown {
  const { parent, last } = parentOf(document, steps);
  return isObject(parent) && !Object.hasOwn(parent, last) ? null : childOf(document.lists, parent, last);
}

function parentOf({ root, lists }: Document, steps: Steps): { readonly parent: unknown; readonly last: string } {
  const [...parents] = steps;
  const last = parents.pop() ?? '';
  let parent: unknown = root;
  for (const step of parents) parent = childOf(lists, parent, step);
  return { parent, last };
}

function add(document: Document, steps: Steps, value: unknown): void {
  const { lists } = document;
  const { parent, last } = parentOf(document, steps);
  if (Array.isArray(parent)) {
    const length = lists.lengthOf(parent);
    lists.insert(parent, last === '-' ? length : indexIn(last, length), value);
  } else if (isObject(parent))
    Object.defineProperty(parent, last, { value, configurable: true, enumerable: true, writable: true });
  else throw failed();
}

function remove(document: Document, steps: Steps): void {
  const { lists } = document;
  const { parent, last } = parentOf(document, steps);
  if (Array.isArray(parent)) lists.remove(parent, indexIn(last, lists.lengthOf(parent) - 1));
  else if (isObject(parent) && Object.hasOwn(parent, last)) Reflect.deleteProperty(parent, last);
  else throw failed();
}

/** Replacing a missing field of an object adds it, as the library of kube-apiserver does. */
function replace(document: Document, steps: Steps, value: unknown): void {
  if (Array.isArray(parentOf(document, steps).parent)) remove(document, steps);
  add(document, steps, value);
}

/** Reads an index as Go reads an integer. A negative one counts from the end, as in the library of kube-apiserver. */
function indexIn(step: string, highest: number): number {
  const number = /^[+-]?\d+$/.test(step) ? Number(step) : NaN;
  const index = number < 0 ? number + highest + 1 : number;
  if (!(index >= 0) || index > highest) throw failed();
  return index;
}

/** A real server does not say what failed or where. */
function failed(): StatusError {
  return new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}
