import { messageTable } from './message-table.ts';

/** Type of a field that is not a message of the table, by its code in the table. */
export type ScalarType = keyof typeof scalarTypes;

const scalarTypes = {
  s: 'string',
  y: 'bytes',
  b: 'bool',
  i: 'int32',
  l: 'int64',
  d: 'double',
  Q: 'Quantity',
  I: 'IntOrString',
  R: 'JSON in bytes',
  T: 'Time',
  M: 'MicroTime',
} as const;

/** A field of a message and of its JSON form. */
export interface Field {
  /** Name in JSON; empty for a field without one. */
  readonly name: string;
  readonly number: number;
  readonly many: 'one' | 'list' | 'map';
  readonly type: ScalarType | Message;
  /** Whether its fields are fields of the surrounding JSON object. */
  readonly inline: boolean;
  /** Whether it is a pointer in Go: only then, a single value can be absent on the wire. */
  readonly optional: boolean;
  /** Whether JSON contains it even if it is empty. */
  readonly required: boolean;
  /** Whether JSON omits it if it is zero, although it is a structure. */
  readonly omitZero: boolean;
}

/** A message, with its fields in the order of their numbers. */
export class Message {
  readonly name: string;
  /** JSON form: an object with the fields, a list of the only field, or the value of one of the fields. */
  readonly form: 'object' | 'list' | 'alternatives';
  readonly #messages: Messages;
  readonly #section: number;
  readonly #notation: string;
  #fields: readonly Field[] | undefined;
  #byNumber: ReadonlyMap<number, Field> | undefined;

  constructor(messages: Messages, section: number, line: string) {
    const [name, notation] = splitAt(line, ' ');
    this.#messages = messages;
    this.#section = section;
    this.#notation = notation;
    this.name = name.endsWith('|') ? name.slice(0, -1) : name;
    this.form = notation.startsWith('=') ? 'list' : name.endsWith('|') ? 'alternatives' : 'object';
  }

  get fields(): readonly Field[] {
    this.#fields ??= this.#notation === '' ? [] : this.#notation.split(' ').map((text) => this.#parse(text));
    return this.#fields;
  }

  field(number: number): Field | undefined {
    this.#byNumber ??= new Map(this.fields.map((field) => [field.number, field]));
    return this.#byNumber.get(number);
  }

  #parse(text: string): Field {
    const [, name = '', number = '', flags = '', many = '', type = ''] = FIELD.exec(text) ?? [];
    return {
      name,
      number: Number(number),
      many: many === '*' ? 'list' : many === '%' ? 'map' : 'one',
      type: isScalarType(type) ? type : this.#messages.resolve(this.#section, type),
      inline: flags.includes('~'),
      optional: flags.includes('?'),
      required: flags.includes('!'),
      omitZero: flags.includes('^'),
    };
  }
}

const FIELD = /^([^:=]*)[:=](\d+)([~?!^]*)([*%]?)([\w./]+)$/;

function isScalarType(code: string): code is ScalarType {
  return Object.hasOwn(scalarTypes, code);
}

/** Options and responses that every group version has. Their messages are those of `meta.k8s.io/v1`. */
const COMMON_KINDS: ReadonlySet<string> = new Set([
  ...['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions', 'Status', 'WatchEvent'],
  ...['CreateOptions', 'DeleteOptions', 'GetOptions', 'ListOptions', 'PatchOptions', 'UpdateOptions'],
]);

/** The group version at index 0. */
const META = 'meta.k8s.io/v1';

/**
 * The messages of a table. The constructor only finds the group versions: a message is parsed when it is first used.
 *
 * @see messageTable for the notation
 */
export class Messages {
  readonly #sections: { readonly apiVersion: string; readonly text: string; lines?: Map<string, string> }[];
  readonly #messages = new Map<string, Message>();

  constructor(table: string) {
    this.#sections = table
      .split('@')
      .slice(1)
      .map((section) => {
        const [apiVersion, text] = splitAt(section, '\n');
        return { apiVersion, text };
      });
  }

  /** Returns the message of a kind, or `undefined` if the kind has no protobuf encoding. */
  ofKind(apiVersion: string, kind: string): Message | undefined {
    const section = this.#sections.findIndex((candidate) => candidate.apiVersion === apiVersion);
    if (section < 0 && !COMMON_KINDS.has(kind)) return undefined;
    const own = section < 0 ? undefined : this.#find(section, kind);
    return own ?? (COMMON_KINDS.has(kind) && apiVersion !== META ? this.ofKind(META, kind) : undefined);
  }

  /** Returns a message by a reference of the table: `.Name`, or `/3.Name` for another section. */
  resolve(section: number, reference: string): Message {
    const [index, name] = splitAt(reference, '.');
    const message = this.#find(index === '' ? section : Number(index.slice(1)), name);
    if (!message) throw new Error(`the message table has no ${reference}`);
    return message;
  }

  /** Returns every kind of the table: the messages that have metadata. */
  *kinds(): Generator<{ readonly apiVersion: string; readonly message: Message }> {
    for (const [index, { apiVersion }] of this.#sections.entries()) {
      for (const name of this.#linesOf(index).keys()) {
        const message = this.#find(index, name);
        if (message?.fields.some((field) => field.name === 'metadata' && field.number === 1)) {
          yield { apiVersion, message };
        }
      }
    }
  }

  #find(section: number, name: string): Message | undefined {
    const key = `${section}.${name}`;
    const known = this.#messages.get(key);
    if (known) return known;
    const line = this.#linesOf(section).get(name);
    if (line === undefined) return undefined;
    const message = new Message(this, section, line);
    this.#messages.set(key, message);
    return message;
  }

  #linesOf(index: number): Map<string, string> {
    const section = this.#sections[index];
    if (!section) throw new Error(`the message table has no section ${index}`);
    section.lines ??= new Map(
      section.text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => [/^\w+/.exec(line)?.[0] ?? '', line]),
    );
    return section.lines;
  }
}

function splitAt(text: string, separator: string): [before: string, after: string] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}

/** All messages of the built-in kinds of Kubernetes. */
export const messages = new Messages(messageTable);
