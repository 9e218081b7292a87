import type { Event } from 'js-yaml';
import { NESTING_LIMIT, TOO_DEEP } from '../schema/nesting.ts';
import { setField } from '../schema/set-field.ts';
import type { Paused } from '../turn.ts';
import { Turn } from '../turn.ts';
import { YamlError } from './yaml-error.ts';
import type { ScalarTag } from './yaml-scalar.ts';
import { plainScalar, taggedScalar } from './yaml-scalar.ts';

/**
 * Size of what aliases may add to a text. A node counts as its length and {@link NODE_SIZE}. A real server limits the
 * number of nodes, and the size of an object when it stores it.
 */
const ALIAS_LIMIT = 3 * 1024 * 1024;
const NODE_SIZE = 16;

/** Types of events, by the numbers of the parser. */
const DOCUMENT = 1;
const SEQUENCE = 2;
const MAPPING = 3;
const SCALAR = 4;
const ALIAS = 5;

const PLAIN = 1;

const TAGS: ReadonlyMap<string, ScalarTag> = new Map(
  (['str', 'int', 'float', 'bool', 'null', 'binary', 'timestamp', 'merge'] as const).flatMap((tag) => [
    [`!!${tag}`, tag],
    [`!<tag:yaml.org,2002:${tag}>`, tag],
  ]),
);

/** A value, and what it adds where it is used again. */
interface Node {
  readonly value: unknown;
  /** Position in the text; -1 for an empty value. */
  readonly position: number;
  readonly size: number;
  /** Number of levels of objects and lists. */
  readonly levels: number;
}

interface Key {
  readonly name: string;
  /** The key in Go's notation. */
  readonly shown: string;
  readonly position: number;
  readonly merges: boolean;
}

/** An object or a list that is not complete. */
interface Frame {
  readonly position: number;
  readonly anchor: string;
  readonly list: unknown[] | undefined;
  readonly fields: Record<string, unknown>;
  readonly seen: Set<string>;
  key: Key | undefined;
  size: number;
  levels: number;
}

type Properties = Extract<Event, { readonly tagStart: number }>;

/** Creates the value of the first document from the events of a parser, like go-yaml v2. Takes linear time. */
export class YamlValue {
  value: unknown = null;
  /** Position and key of the fields that are set again. */
  readonly duplicates: { readonly position: number; readonly shown: string }[] = [];
  readonly #text: string;
  readonly #anchors = new Map<string, Node | undefined>();
  readonly #open: Frame[] = [];
  #aliased = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * Creates the value, with pauses.
   *
   * @param textOf decodes a scalar.
   * @throws {YamlError}
   * @throws {StatusError} 501 for an integer that would be rounded.
   */
  *read(events: readonly Event[], textOf: (scalar: ScalarEvent) => string): Paused<void> {
    const turn = new Turn();
    let documents = 0;
    for (const event of events) {
      if (turn.step()) yield* turn.pause();
      if (event.type === DOCUMENT) documents += 1;
      if (documents > 1) break;
      this.#take(event, textOf);
    }
  }

  #take(event: Event, textOf: (scalar: ScalarEvent) => string): void {
    switch (event.type) {
      case SEQUENCE:
      case MAPPING:
        this.#begin(event, event.type === SEQUENCE ? [] : undefined);
        break;
      case SCALAR: {
        const source = event.valueStart < 0 ? '' : textOf(event);
        const value = this.#scalar(event, source);
        const size = NODE_SIZE + source.length;
        const node = { value, position: event.valueStart, size, levels: 0 };
        const anchor = this.#anchorOf(event);
        if (anchor !== '') this.#anchors.set(anchor, node);
        this.#add(node, event.style === PLAIN && source === '<<');
        break;
      }
      case ALIAS:
        this.#add(this.#aliasedNode(this.#text.slice(event.anchorStart, event.anchorEnd), event.anchorStart));
        break;
      case DOCUMENT:
        break;
      default:
        this.#end();
    }
  }

  #begin(event: CollectionEvent, list: unknown[] | undefined): void {
    const parent = this.#open.at(-1);
    if (parent && !parent.list && !parent.key) throw YamlError.unconverted('invalid map key');
    const anchor = this.#anchorOf(event);
    if (anchor !== '') this.#anchors.set(anchor, undefined);
    const { start: position } = event;
    this.#open.push({
      ...{ position, anchor, list, fields: {}, seen: new Set() },
      ...{ key: undefined, size: NODE_SIZE, levels: 1 },
    });
  }

  #end(): void {
    const frame = this.#open.pop();
    // The end of the document.
    if (!frame) return;
    const { position, anchor, list, fields, size, levels } = frame;
    const node = { value: list ?? fields, position, size, levels };
    if (anchor !== '') this.#anchors.set(anchor, node);
    this.#add(node);
  }

  #anchorOf({ anchorStart, anchorEnd }: Properties): string {
    return anchorStart < 0 ? '' : this.#text.slice(anchorStart, anchorEnd);
  }

  #scalar({ tagStart, tagEnd, style }: ScalarEvent, source: string): unknown {
    const tag = tagStart < 0 ? '' : this.#text.slice(tagStart, tagEnd);
    const known = TAGS.get(tag);
    if (!known) return tag === '' && style === PLAIN ? plainScalar(source) : source;
    const value = taggedScalar(known, source);
    if (value !== undefined) return value;
    if (known === 'binary') throw YamlError.unconverted('!!binary value contains invalid base64 data');
    const actual = plainScalar(source);
    throw YamlError.unconverted(`cannot decode !!${tagOf(actual)} \`${source}\` as a !!${known}`);
  }

  #aliasedNode(name: string, position: number): Node {
    if (!this.#anchors.has(name)) throw YamlError.unconverted(`unknown anchor '${name}' referenced`);
    const node = this.#anchors.get(name);
    if (!node) throw YamlError.unconverted(`anchor '${name}' value contains itself`);
    this.#aliased += node.size;
    if (this.#aliased > ALIAS_LIMIT) throw YamlError.unconverted('document contains excessive aliasing');
    if (this.#open.length + node.levels > NESTING_LIMIT) throw YamlError.unconverted(TOO_DEEP);
    // A copy, because later steps change parts of an object in place.
    return { ...node, position, value: node.levels === 0 ? node.value : structuredClone(node.value) };
  }

  /** Adds a key or a value to the innermost object or list. */
  #add(node: Node, merges = false): void {
    const frame = this.#open.at(-1);
    if (!frame) {
      this.value = finite(node.value);
      return;
    }
    frame.size += node.size;
    frame.levels = Math.max(frame.levels, node.levels + 1);
    if (frame.list) {
      frame.list.push(finite(node.value));
    } else if (!frame.key) {
      frame.key = { ...keyOf(node), merges };
    } else {
      this.#set(frame, frame.key, node);
      frame.key = undefined;
    }
  }

  #set({ fields, seen }: Frame, { name, shown, position, merges }: Key, node: Node): void {
    if (merges) {
      // Earlier objects take precedence.
      for (const merged of [node.value].flat().reverse()) {
        if (!isObject(merged)) throw YamlError.unconverted('map merge requires map or sequence of maps as the value');
        for (const [field, value] of Object.entries(merged)) setField(fields, field, value);
      }
      return;
    }
    if (seen.has(shown)) this.duplicates.push({ position: node.position < 0 ? position : node.position, shown });
    seen.add(shown);
    setField(fields, name, finite(node.value));
  }
}

type ScalarEvent = Extract<Event, { readonly valueStart: number }>;
type CollectionEvent = Extract<Event, { readonly start: number }>;

function keyOf({ value, position }: Node): Omit<Key, 'merges'> {
  if (typeof value === 'string') return { name: value, shown: JSON.stringify(value), position };
  if (typeof value === 'number' || typeof value === 'boolean') {
    return { name: String(value), shown: String(value), position };
  }
  const why = value === null ? 'unsupported map key of type: %!s(<nil>), key: <nil>' : 'yaml: invalid map key';
  throw new YamlError(`error converting YAML to JSON: ${why}`);
}

/** JSON has no infinite numbers. */
function finite(value: unknown): unknown {
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  const shown = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  throw new YamlError(`error converting YAML to JSON: json: unsupported value: ${shown}`);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function tagOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'str';
  return Number.isInteger(value) ? 'int' : 'float';
}
