import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  equals,
  MINUS,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
  TEXT,
} from './json-bytes.ts';
import { ENVELOPE, ENVELOPE_SIZE } from './packed-batch.ts';
import { endOfString, failure, scan, SCAN, scanColon, scanValue, skipSpace } from './scan-value.ts';

/** Maximum length of a text in bytes. A longer one may still be short enough in characters. */
const MAX_TEXT = 1024;
/** Length in bytes up to which a number cannot be a bigint. */
const MAX_NUMBER = 15;
/** Number of long integers up to which `parseJson` does not refuse a document. */
const MAX_LONG_INTEGERS = 20_000 - 1;
const NULL = 0x6e;

/** Envelope of the last object that {@link scanObject} returned. Its ranges are indexes of the window. */
export const envelope = new Int32Array(ENVELOPE_SIZE);

function nameBytes(name: string): Uint8Array {
  return Buffer.from(name);
}

const METADATA = nameBytes('metadata');
const API_VERSION = nameBytes('apiVersion');
const KIND = nameBytes('kind');
const NAME = nameBytes('name');
const NAMESPACE = nameBytes('namespace');
const UID = nameBytes('uid');
const RESOURCE_VERSION = nameBytes('resourceVersion');
const LABELS = nameBytes('labels');
const ANNOTATIONS = nameBytes('annotations');
const OWNER_REFERENCES = nameBytes('ownerReferences');
const MANAGED_FIELDS = nameBytes('managedFields');
const MANAGER = nameBytes('manager');
const OPERATION = nameBytes('operation');
const SUBRESOURCE = nameBytes('subresource');
const TIME = nameBytes('time');
const FIELDS_TYPE = nameBytes('fieldsType');
const GENERATION = nameBytes('generation');
const FINALIZERS = nameBytes('finalizers');
const CREATION_TIMESTAMP = nameBytes('creationTimestamp');
const DELETION_TIMESTAMP = nameBytes('deletionTimestamp');

/**
 * Checks a Kubernetes object: the grammar of JSON, and the types of common fields as `namedObjectProblem` does. Stores
 * the ranges of its fields in {@link envelope}.
 *
 * Accepts only regular objects: `metadata` and the fields in it occur once, and identifiers are printable ASCII. The
 * caller decides about all others with a parser.
 *
 * @param level number of containers around the object.
 * @returns the index that follows the object, `SCAN.incomplete` or `SCAN.irregular`.
 */
export function scanObject(b: Uint8Array, start: number, level: number): number {
  scan.longIntegers = 0;
  envelope.fill(0);
  const end = scanFields(b, start, level);
  if (end < 0) return end === SCAN.incomplete ? end : SCAN.irregular;
  const { name } = ENVELOPE;
  if (envelope[name] === envelope[name + 1] || scan.longIntegers > MAX_LONG_INTEGERS) return SCAN.irregular;
  envelope[ENVELOPE.object] = start;
  envelope[ENVELOPE.object + 1] = end;
  return end;
}

function scanFields(b: Uint8Array, start: number, level: number): number {
  if (b[start] !== OPEN_OBJECT) return failure(start);
  let at = start;
  do {
    const name = nameAfter(b, at);
    if (name < 0) return name;
    const nameEnd = endOfName(b, name);
    if (b[nameEnd] !== QUOTE) return failure(nameEnd);
    const value = scanColon(b, nameEnd + 1);
    if (value < 0) return value;
    const length = nameEnd - name;
    if (length === 8 && equals(b, name, METADATA)) {
      if (envelope[ENVELOPE.metadata] !== 0) return SCAN.irregular;
      at = scanMetadata(b, value, level + 1);
      envelope[ENVELOPE.metadata] = value;
      envelope[ENVELOPE.metadata + 1] = at;
    } else {
      at = scanValue(b, value, level + 1);
      if (
        at >= 0 &&
        ((length === 4 && equals(b, name, KIND)) || (length === 10 && equals(b, name, API_VERSION))) &&
        (b[value] !== QUOTE || at - value > MAX_TEXT)
      )
        return SCAN.irregular;
    }
    if (at < 0) return at;
    if ((b[at] as number) <= SPACE) at = skipSpace(b, at);
  } while (b[at] === COMMA);
  return b[at] === CLOSE_OBJECT ? at + 1 : failure(at);
}

/** Checks metadata and stores the ranges of its fields. */
function scanMetadata(b: Uint8Array, start: number, level: number): number {
  if (b[start] !== OPEN_OBJECT) return failure(start);
  const depth = level + 1;
  let at = start;
  do {
    const name = nameAfter(b, at);
    if (name < 0) return name;
    const nameEnd = endOfName(b, name);
    if (b[nameEnd] !== QUOTE) return failure(nameEnd);
    const value = scanColon(b, nameEnd + 1);
    if (value < 0) return value;
    switch (nameEnd - name) {
      case 3:
        at = equals(b, name, UID) ? scanText(b, value, ENVELOPE.uid) : scanValue(b, value, depth);
        break;
      case 4:
        at = equals(b, name, NAME) ? scanText(b, value, ENVELOPE.name) : scanValue(b, value, depth);
        break;
      case 6:
        at = scanValue(b, value, depth);
        if (at >= 0 && equals(b, name, LABELS)) at = keep(b, value, at, ENVELOPE.labels, OPEN_OBJECT);
        break;
      case 9:
        at = equals(b, name, NAMESPACE) ? scanText(b, value, ENVELOPE.namespace) : scanValue(b, value, depth);
        break;
      case 10:
        if (equals(b, name, FINALIZERS)) {
          at = scanFinalizers(b, value);
        } else {
          at = scanValue(b, value, depth);
          if (at >= 0 && equals(b, name, GENERATION)) at = keepNumber(b, value, at);
        }
        break;
      case 11:
        at = scanValue(b, value, depth);
        if (at >= 0 && equals(b, name, ANNOTATIONS)) at = keep(b, value, at, ENVELOPE.annotations, OPEN_OBJECT);
        break;
      case 13:
        if (equals(b, name, MANAGED_FIELDS)) {
          at = scanObjects(b, value, depth, scanManager);
          if (at >= 0) at = keep(b, value, at, ENVELOPE.managedFields, OPEN_ARRAY);
        } else {
          at = scanValue(b, value, depth);
        }
        break;
      case 15:
        if (equals(b, name, RESOURCE_VERSION)) {
          at = scanText(b, value, ENVELOPE.resourceVersion);
        } else if (equals(b, name, OWNER_REFERENCES)) {
          at = scanObjects(b, value, depth, scanOwner);
          if (at >= 0) at = keep(b, value, at, ENVELOPE.ownerReferences, OPEN_ARRAY);
        } else {
          at = scanValue(b, value, depth);
        }
        break;
      case 17:
        at = scanValue(b, value, depth);
        if (at >= 0 && equals(b, name, DELETION_TIMESTAMP)) at = keepTime(b, value, at, ENVELOPE.deletionTimestamp);
        else if (at >= 0 && equals(b, name, CREATION_TIMESTAMP)) at = keepTime(b, value, at, 0);
        break;
      default:
        at = scanValue(b, value, depth);
    }
    if (at < 0) return at;
    if ((b[at] as number) <= SPACE) at = skipSpace(b, at);
  } while (b[at] === COMMA);
  return b[at] === CLOSE_OBJECT ? at + 1 : failure(at);
}

/** Returns the index of the first byte of a name that follows a brace or a comma. Empty objects are irregular. */
function nameAfter(b: Uint8Array, at: number): number {
  at += 1;
  if (b[at] !== QUOTE) {
    at = skipSpace(b, at);
    if (b[at] !== QUOTE) return failure(at);
  }
  return at + 1;
}

/** Returns the index of the quote that ends a name, or of a byte that is irregular in it, such as a backslash. */
function endOfName(b: Uint8Array, at: number): number {
  while (TEXT[b[at] as number] !== 0) at += 1;
  return at;
}

/** Checks an identifier and stores its range, without the quotes. */
function scanText(b: Uint8Array, start: number, field: number): number {
  if (b[start] !== QUOTE) return failure(start);
  let at = start + 1;
  while (TEXT[b[at] as number] === 1) at += 1;
  if (b[at] !== QUOTE) return failure(at);
  if (envelope[field] !== 0 || at - start > MAX_TEXT) return SCAN.irregular;
  envelope[field] = start + 1;
  envelope[field + 1] = at;
  return at + 1;
}

/** Stores the range of a value that begins with `first`. Returns its end. */
function keep(b: Uint8Array, start: number, end: number, field: number, first: number): number {
  if (b[start] !== first || envelope[field] !== 0) return SCAN.irregular;
  envelope[field] = start;
  envelope[field + 1] = end;
  return end;
}

function keepNumber(b: Uint8Array, start: number, end: number): number {
  const c = b[start] as number;
  const isNumber = c === MINUS || (c >= 0x30 && c <= 0x39);
  return isNumber && end - start <= MAX_NUMBER ? keep(b, start, end, ENVELOPE.generation, c) : SCAN.irregular;
}

/** Checks a time: a text, or `null` for an unset one. @param field place in the envelope; 0 to check only. */
function keepTime(b: Uint8Array, start: number, end: number, field: number): number {
  const c = b[start];
  // A field that is set and unset again is irregular.
  if (c === NULL) return field !== 0 && envelope[field] !== 0 ? SCAN.irregular : end;
  if (c !== QUOTE || end - start > MAX_TEXT) return SCAN.irregular;
  return field === 0 ? end : keep(b, start, end, field, QUOTE);
}

function scanFinalizers(b: Uint8Array, start: number): number {
  if (b[start] !== OPEN_ARRAY) return failure(start);
  let at = skipSpace(b, start + 1);
  if (b[at] === CLOSE_ARRAY) return at + 1;
  for (;;) {
    if (b[at] !== QUOTE) return failure(at);
    at = endOfString(b, at + 1);
    if (b[at] !== QUOTE) return failure(at);
    at = skipSpace(b, at + 1);
    if (b[at] !== COMMA) return b[at] === CLOSE_ARRAY ? at + 1 : failure(at);
    at = skipSpace(b, at + 1);
  }
}

/** Checks an array of objects, each with `scanElement`. */
function scanObjects(b: Uint8Array, start: number, level: number, scanElement: typeof scanOwner): number {
  if (b[start] !== OPEN_ARRAY) return failure(start);
  let at = skipSpace(b, start + 1);
  if (b[at] === CLOSE_ARRAY) return at + 1;
  for (;;) {
    at = scanElement(b, at, level + 1);
    if (at < 0) return at;
    at = skipSpace(b, at);
    if (b[at] !== COMMA) return b[at] === CLOSE_ARRAY ? at + 1 : failure(at);
    at = skipSpace(b, at + 1);
  }
}

/** One bit for each text that an owner reference must have. */
const OWNER = { apiVersion: 1, kind: 2, name: 4, uid: 8, all: 15 } as const;

function scanOwner(b: Uint8Array, start: number, level: number): number {
  if (b[start] !== OPEN_OBJECT) return failure(start);
  let found = 0;
  let at = start;
  do {
    const name = nameAfter(b, at);
    if (name < 0) return name;
    const nameEnd = endOfName(b, name);
    if (b[nameEnd] !== QUOTE) return failure(nameEnd);
    const value = scanColon(b, nameEnd + 1);
    if (value < 0) return value;
    const bit = ownerBit(b, name, nameEnd - name);
    if (bit !== 0 && b[value] !== QUOTE) return failure(value);
    found |= bit;
    at = skipAfter(b, scanValue(b, value, level + 1));
    if (at < 0) return at;
  } while (b[at] === COMMA);
  if (b[at] !== CLOSE_OBJECT) return failure(at);
  return found === OWNER.all ? at + 1 : SCAN.irregular;
}

function ownerBit(b: Uint8Array, name: number, length: number): number {
  if (length === 3) return equals(b, name, UID) ? OWNER.uid : 0;
  if (length === 10) return equals(b, name, API_VERSION) ? OWNER.apiVersion : 0;
  if (length !== 4) return 0;
  if (equals(b, name, NAME)) return OWNER.name;
  return equals(b, name, KIND) ? OWNER.kind : 0;
}

/** Checks an entry of `managedFields`. Its texts may be `null`. */
function scanManager(b: Uint8Array, start: number, level: number): number {
  if (b[start] !== OPEN_OBJECT) return failure(start);
  let at = start;
  do {
    const name = nameAfter(b, at);
    if (name < 0) return name;
    const nameEnd = endOfName(b, name);
    if (b[nameEnd] !== QUOTE) return failure(nameEnd);
    const value = scanColon(b, nameEnd + 1);
    if (value < 0) return value;
    at = scanValue(b, value, level + 1);
    if (at >= 0 && isManagerText(b, name, nameEnd - name)) {
      if ((b[value] !== QUOTE && b[value] !== NULL) || at - value > MAX_TEXT) return SCAN.irregular;
    }
    at = skipAfter(b, at);
    if (at < 0) return at;
  } while (b[at] === COMMA);
  return b[at] === CLOSE_OBJECT ? at + 1 : failure(at);
}

function isManagerText(b: Uint8Array, name: number, length: number): boolean {
  if (length === 4) return equals(b, name, TIME);
  if (length === 7) return equals(b, name, MANAGER);
  if (length === 9) return equals(b, name, OPERATION);
  if (length === 10) return equals(b, name, API_VERSION) || equals(b, name, FIELDS_TYPE);
  return length === 11 && equals(b, name, SUBRESOURCE);
}

function skipAfter(b: Uint8Array, at: number): number {
  return at < 0 ? at : skipSpace(b, at);
}
