import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import * as z from 'zod';
import { tokenSchema } from '../access/tokens.ts';
import type { StoreEvent } from './event-log.ts';
import type { ApiObject, StoredObject } from './stored-object.ts';

const entry = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('listen'), port: z.int() }),
  tokenSchema.extend({ op: z.literal('issue') }),
  z.strictObject({ op: z.literal('revoke'), token: z.string() }),
  z.strictObject({ op: z.literal('compact') }),
  z.strictObject({
    op: z.literal('write'),
    type: z.enum(['ADDED', 'MODIFIED', 'DELETED']),
    resource: z.string(),
    fields: z.record(z.string(), z.string()),
    object: z.custom<ApiObject>((value) => typeof value === 'object' && value !== null),
  }),
]);

/** An entry of the journal. */
export type JournalEntry = z.infer<typeof entry>;

const NEWLINE = 0x0a;

/**
 * An append-only file with everything that happened to one cluster, one JSON line per entry. A written line survives
 * the death of this process. An incomplete last line is dropped, because no client got a response for it.
 */
export class Journal {
  readonly #file: number;
  readonly #path: string;
  /** Bytes of the complete lines in the file. */
  #size: number;

  /** @param path path of the file. It is created if it does not exist, and only its owner can read it. */
  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, 'a', 0o600);
    this.#size = fstatSync(this.#file).size;
  }

  /**
   * Yields the entries of earlier runs, in order. Call it before the first append.
   *
   * @throws {Error} that names the file and the line if it is not an entry. The file is closed then.
   */
  *replay(): Generator<JournalEntry> {
    const content = existsSync(this.#path) ? readFileSync(this.#path) : Buffer.alloc(0);
    let start = 0;
    let line = 1;
    for (let end = content.indexOf(NEWLINE); end >= 0; end = content.indexOf(NEWLINE, start)) {
      yield this.#parse(content.toString('utf8', start, end), line);
      start = end + 1;
      line += 1;
    }
    if (start < content.length) ftruncateSync(this.#file, start);
    this.#size = start;
  }

  append(line: Exclude<JournalEntry, { op: 'write' }>): void {
    this.#write(Buffer.from(`${JSON.stringify(line)}\n`));
  }

  appendWrite({ type, object }: StoreEvent): void {
    this.#write(Buffer.concat([Buffer.from(writeHead(type, object)), object.json, Buffer.from('}\n')]));
  }

  close(): void {
    closeSync(this.#file);
  }

  #parse(text: string, line: number): JournalEntry {
    try {
      return entry.parse(JSON.parse(text));
    } catch (cause) {
      this.close();
      throw new Error(
        `${this.#path}: line ${line} is not an entry of an API server's journal: delete the file, or use another directory`,
        { cause },
      );
    }
  }

  /** Writes a whole line, or nothing. @throws {Error} for example if the disk is full. */
  #write(bytes: Buffer): void {
    try {
      for (let written = 0; written < bytes.length;) written += writeSync(this.#file, bytes, written);
    } catch (error) {
      ftruncateSync(this.#file, this.#size);
      throw error;
    }
    this.#size += bytes.length;
  }
}

function writeHead(type: StoreEvent['type'], { resource, fields }: StoredObject): string {
  return `${JSON.stringify({ op: 'write', type, resource, fields }).slice(0, -1)},"object":`;
}
