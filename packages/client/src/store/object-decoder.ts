import { allocatedInBulk } from '../garbage/young-collections.ts';
import { deepFreeze } from '../json/deep-freeze.ts';
import { parseJson } from '../json/json.ts';
import type { Kind } from '../kinds/kind.ts';
import type { DeepReadonly, KubernetesObject, ObjectKey, ObjectMeta } from '../kinds/object.ts';
import { BlockReader } from './block-reader.ts';
import { ENTRY, ENTRY_FLAG, ENTRY_HEADER, entryText, entryTextLength, entryTextStart } from './entry.ts';
import type { EntryMemory, EntryPlace } from './entry.ts';
import { estimatedHeap } from './heap-estimate.ts';

export interface ObjectDecoderOptions<T extends KubernetesObject> {
  readonly kind: Kind<T>;
  /** Whether to freeze decoded objects. */
  readonly freeze: boolean;
  /** Opens compressed blocks. Default: a reader of its own. */
  readonly blocks?: BlockReader;
}

/** Heap that decoding takes per byte of JSON: about 1.5 for the object, and the text. */
const HEAP_PER_BYTE = 2.5;
/** Number of namespaces whose text is remembered; a power of two. */
const NAMESPACES = 1024;
/** Maximum length of a remembered namespace, in characters: that of a DNS label. */
const MAX_NAMESPACE = 63;

/**
 * Recent ASCII namespaces by a hash of their bytes, so that the keys of a namespace share one string. All stores share them,
 * because clusters have namespaces of the same names, and a thousand idle stores must not have a thousand tables.
 */
const namespaces = new Array<string>(NAMESPACES).fill('');

/** Memory in which the kind and the rest of an object are joined. Larger objects are joined as strings. */
const joined = Buffer.alloc(32 * 1024);

/** Decodes the entries of one store. */
export class ObjectDecoder<T extends KubernetesObject> {
  readonly kind: Kind<T>;
  readonly #freeze: boolean;
  readonly #blocks: BlockReader;
  /** Beginning of a JSON object with the kind, up to the comma. */
  readonly #kindText: Buffer;
  #decodes = 0;
  #metadataDecodes = 0;

  constructor({ kind, freeze, blocks = new BlockReader() }: ObjectDecoderOptions<T>) {
    this.kind = kind;
    this.#freeze = freeze;
    this.#blocks = blocks;
    const { apiVersion, kind: name } = kind;
    this.#kindText = Buffer.from(`{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(name)},`);
  }

  /** Number of objects that were decoded. */
  get decodes(): number {
    return this.#decodes;
  }

  /** Number of objects whose metadata alone was decoded. */
  get metadataDecodes(): number {
    return this.#metadataDecodes;
  }

  /** Returns the place of the whole entry, which is in an opened block if it is compressed. */
  whole(memory: EntryMemory, entry: number): EntryPlace {
    return this.#blocks.whole(memory, entry);
  }

  /** Decodes the object of an entry, to be kept. */
  decode(memory: EntryMemory, entry: number): DeepReadonly<T> {
    const object = this.decodeUnkept(memory, entry);
    allocatedInBulk(HEAP_PER_BYTE * (memory.ints[(entry >> 2) + ENTRY.json] as number));
    return object;
  }

  /** Decodes the object of an entry for callers that do not keep it. */
  decodeUnkept(held: EntryMemory, place: number): DeepReadonly<T> {
    this.#decodes += 1;
    const { memory, entry } = this.whole(held, place);
    const { bytes, ints } = memory;
    const header = entry >> 2;
    const flags = ints[header + ENTRY.flags] as number;
    const start = entry + ENTRY_HEADER;
    const end = start + (ints[header + ENTRY.json] as number);
    const { apiVersion, kind } = this.kind;
    // Items of a list omit the kind. It goes first, as in other responses, so that all objects have the same shape.
    const isListed = (flags & ENTRY_FLAG.listed) !== 0;
    const text = isListed ? this.#textWithKind(bytes, start, end) : bytes.toString('utf8', start, end);
    const object = parse(text, flags) as T;
    // Objects with metadata only have another kind. A faulty server may send any, in a list or in a watch.
    if (object.apiVersion !== apiVersion) object.apiVersion = apiVersion;
    if (object.kind !== kind) object.kind = kind;
    return (this.#freeze ? deepFreeze(object) : object) as DeepReadonly<T>;
  }

  /** Estimates the heap of the object of an entry, in bytes. */
  estimateHeap(held: EntryMemory, place: number): number {
    const { memory, entry } = this.whole(held, place);
    const start = entry + ENTRY_HEADER;
    return estimatedHeap(memory.bytes, start, start + (memory.ints[(entry >> 2) + ENTRY.json] as number));
  }

  /** Returns the text of an object with the kind, which items of a list omit. */
  #textWithKind(bytes: Buffer, start: number, end: number): string {
    const kind = this.#kindText;
    const size = kind.length + end - start - 1;
    if (size > joined.length) return kind.toString() + bytes.toString('utf8', start + 1, end);
    // Faster than joining two strings, which are copied again before they are parsed.
    kind.copy(joined);
    bytes.copy(joined, kind.length, start + 1, end);
    return joined.toString('utf8', 0, size);
  }

  /** Decodes the metadata of an entry, and nothing else. */
  decodeMetadata(held: EntryMemory, place: number): DeepReadonly<ObjectMeta> {
    this.#metadataDecodes += 1;
    const { memory, entry } = this.whole(held, place);
    const { bytes, ints } = memory;
    const header = entry >> 2;
    const payload = entry + ENTRY_HEADER;
    const start = payload + (ints[header + ENTRY.metadata] as number);
    const end = payload + (ints[header + ENTRY.metadataEnd] as number);
    const metadata = parse(bytes.toString('utf8', start, end), ints[header + ENTRY.flags] as number) as ObjectMeta;
    return this.#freeze ? deepFreeze(metadata) : metadata;
  }

  /** Decodes the labels of an entry; `undefined` if it has none. */
  decodeLabels(held: EntryMemory, place: number): Readonly<Record<string, string>> | undefined {
    const { memory, entry } = this.whole(held, place);
    const { bytes, ints } = memory;
    const header = entry >> 2;
    const start = ints[header + ENTRY.labels] as number;
    if (start === 0) return undefined;
    const payload = entry + ENTRY_HEADER;
    const end = ints[header + ENTRY.labelsEnd] as number;
    return JSON.parse(bytes.toString('utf8', payload + start, payload + end)) as Readonly<Record<string, string>>;
  }

  /** Decodes the key of an entry. Objects without a namespace have a key without one. */
  decodeKey(memory: EntryMemory, entry: number): ObjectKey {
    const name = entryText(memory, entry, ENTRY.name);
    const length = entryTextLength(memory, entry, ENTRY.namespace);
    if (length === 0) return { name };
    return { namespace: namespaceAt(memory.bytes, entryTextStart(memory, entry, ENTRY.namespace), length), name };
  }
}

function namespaceAt(bytes: Buffer, start: number, length: number): string {
  if (length > MAX_NAMESPACE) return bytes.toString('utf8', start, start + length);
  const middle = bytes[start + (length >> 1)] as number;
  const last = bytes[start + length - 1] as number;
  const place = (length + 31 * ((bytes[start] as number) + 31 * (middle + 31 * last))) & (NAMESPACES - 1);
  const known = namespaces[place] as string;
  if (known.length === length && isTextAt(bytes, start, known)) return known;
  const text = bytes.toString('utf8', start, start + length);
  // Other texts have fewer code units than bytes, and could be taken for the bytes of another one.
  if (text.length === length) namespaces[place] = text;
  return text;
}

function parse(text: string, flags: number): unknown {
  // A plain parse is faster. The text is known to be JSON.
  return flags & ENTRY_FLAG.longInteger ? parseJson(text) : (JSON.parse(text) as unknown);
}

/** Reports whether the bytes are those of an ASCII text. */
function isTextAt(bytes: Buffer, start: number, text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (bytes[start + at] !== text.charCodeAt(at)) return false;
  return true;
}
