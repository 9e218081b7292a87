import { closeSync, fstatSync, ftruncateSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import type { Token } from '../access/tokens.ts';
import type { Paused } from '../turn.ts';
import { complete, inTurns, PAUSE, Turn } from '../turn.ts';
import type { StoreEvent } from './event-log.ts';
import { fileLines } from './file-lines.ts';
import type { JournalEntry, JournalState } from './journal-entry.ts';
import { entryLine, parseEntry, stateLines, writeLine } from './journal-entry.ts';

/** Minimum size of a journal that is compacted, in bytes. */
const COMPACT_FROM = 16 * 1024 * 1024;

/** A journal is compacted when it is larger than the live objects by this factor. */
const FACTOR = 4;

/** Number of bytes to copy at a time. */
const COPY_SIZE = 256 * 1024;

export interface JournalOptions {
  /** Minimum size of a journal that is compacted, in bytes. Default: 16 MiB. */
  readonly compactFrom?: number;
}

/**
 * An append-only file with everything that happened to one cluster, one JSON line per entry. A written line survives
 * the death of this process. An incomplete last line is dropped, because no client got a response for it.
 *
 * When the file is much larger than the live objects, a new file that contains only these replaces it. The history of the
 * running cluster stays; after a restart, earlier versions are gone, as after a compaction of etcd.
 */
export class Journal {
  readonly #path: string;
  readonly #compactFrom: number;
  readonly #tokens = new Map<string, Token>();
  /** Revoked tokens of service accounts. */
  readonly #revoked = new Set<string>();
  #file: number;
  /** Bytes of the complete lines in the file. */
  #size: number;
  /** Size from which it is worth looking at the live objects. */
  #lookFrom: number;
  #port: number | undefined;
  /** Version of the latest write. */
  #version = 1;
  #state: (() => JournalState) | undefined;
  #compaction: Promise<void> | undefined;
  #isClosed = false;

  /** @param path path of the file. It is created if it does not exist, and only its owner can read it. */
  constructor(path: string, { compactFrom = COMPACT_FROM }: JournalOptions = {}) {
    this.#path = path;
    this.#compactFrom = compactFrom;
    this.#lookFrom = compactFrom;
    // A compaction may have been interrupted.
    rmSync(newPath(path), { force: true });
    this.#file = openSync(path, 'a+', 0o600);
    this.#size = fstatSync(this.#file).size;
  }

  /**
   * Passes the entries of earlier runs to `restore`, in order. Call it before the first append.
   *
   * @throws {Error} that names the file and the line if it is not an entry, or its version is not newer than that of the
   *   line before. The file is closed then.
   */
  replay(restore: (entry: JournalEntry) => void): void {
    let line = 1;
    let end = 0;
    try {
      for (const { text, end: next } of fileLines(this.#file)) {
        const entry = this.#parse(text, line);
        this.#note(entry);
        restore(entry);
        line += 1;
        end = next;
      }
    } catch (cause) {
      this.close();
      if (cause instanceof DamagedLine) throw cause;
      const { message } = cause as Error;
      throw new Error(`${this.#path}: line ${line} cannot be restored: ${message}: ${NEXT_STEP}`, { cause });
    }
    if (end < this.#size) ftruncateSync(this.#file, end);
    this.#size = end;
  }

  /** Compacts the journal now and in future, whenever it is much larger than the state. Call it after {@link replay}. */
  compactTo(state: () => JournalState): void {
    this.#state = state;
    if (this.#isTooLarge()) complete(this.#rewrite(state()));
  }

  append(line: Exclude<JournalEntry, { op: 'write' }>): void {
    this.#write(entryLine(line));
    this.#note(line);
  }

  appendWrite(event: StoreEvent): void {
    this.#write(writeLine(event));
  }

  /** Resolves when the running compaction has ended, if there is one. */
  async compacted(): Promise<void> {
    await this.#compaction;
  }

  close(): void {
    this.#isClosed = true;
    closeSync(this.#file);
  }

  /** Keeps what the state of the cluster does not have. */
  #note(entry: JournalEntry): void {
    if (entry.op === 'listen') this.#port = entry.port;
    else if (entry.op === 'issue') {
      const { op: _, ...token } = entry;
      this.#tokens.set(token.token, token);
    } else if (entry.op === 'revoke' && !this.#tokens.delete(entry.token)) this.#revoked.add(entry.token);
  }

  #parse(text: string, line: number): JournalEntry {
    let entry: JournalEntry;
    try {
      entry = parseEntry(text);
    } catch (cause) {
      const what = `line ${line} is not an entry of an API server's journal`;
      throw new DamagedLine(`${this.#path}: ${what}: ${NEXT_STEP}`, { cause });
    }
    const version = versionOf(entry);
    if (version === undefined) return entry;
    if (entry.op === 'write' ? version <= this.#version : version < this.#version) {
      const what = `line ${line} has version ${version}, which is not newer than ${this.#version} of an earlier line`;
      throw new DamagedLine(`${this.#path}: ${what}: ${NEXT_STEP}`);
    }
    this.#version = version;
    return entry;
  }

  /** Writes a whole line, or nothing. @throws {Error} for example if the disk is full. */
  #write(bytes: Buffer): void {
    try {
      writeAll(this.#file, bytes);
    } catch (error) {
      ftruncateSync(this.#file, this.#size);
      throw error;
    }
    this.#size += bytes.length;
    if (this.#size >= this.#lookFrom) this.#compactLater();
  }

  /** Starts a compaction after the current write, whose object is not in the state yet. */
  #compactLater(): void {
    if (!this.#state || this.#compaction) return;
    const state = this.#state;
    this.#compaction = Promise.resolve()
      .then(async () => {
        if (!this.#isClosed && this.#isTooLarge()) await inTurns(this.#rewrite(state()));
      })
      // The complete journal is still there. The next attempt is made when it has grown further.
      .catch(() => {
        this.#lookFrom = 2 * this.#size;
      })
      .finally(() => {
        this.#compaction = undefined;
      });
  }

  #isTooLarge(): boolean {
    if (this.#size < this.#lookFrom || !this.#state) return false;
    const live = this.#state().objects.reduce((sum, { json }) => sum + json.length, 0);
    this.#lookFrom = Math.max(this.#compactFrom, FACTOR * live);
    return this.#size >= this.#lookFrom;
  }

  /** Writes the state to a new file, then what was appended meanwhile, and replaces the journal by the file. */
  *#rewrite(state: JournalState): Paused<void> {
    const from = this.#size;
    const tokens = [...this.#tokens.values()];
    const revoked = [...this.#revoked];
    const path = newPath(this.#path);
    const file = openSync(path, 'ax+', 0o600);
    let isDone = false;
    try {
      const turn = new Turn();
      let size = 0;
      for (const line of stateLines(state, { port: this.#port, tokens, revoked })) {
        writeAll(file, line);
        size += line.length;
        if (!turn.isOver) continue;
        yield PAUSE;
        if (this.#isClosed) return;
        turn.restart();
      }
      const buffer = Buffer.allocUnsafe(COPY_SIZE);
      for (let position = from; position < this.#size && !this.#isClosed;) {
        const read = readSync(this.#file, buffer, 0, COPY_SIZE, position);
        writeAll(file, buffer.subarray(0, read));
        position += read;
        size += read;
        if (position >= this.#size || !turn.isOver) continue;
        yield PAUSE;
        turn.restart();
      }
      if (this.#isClosed) return;
      renameSync(path, this.#path);
      isDone = true;
      closeSync(this.#file);
      this.#file = file;
      this.#size = size;
    } finally {
      if (!isDone) {
        closeSync(file);
        rmSync(path, { force: true });
      }
    }
  }
}

const NEXT_STEP = 'delete the file, or use another directory';

/** A line that is not an entry of a journal. */
class DamagedLine extends Error {
  override readonly name = 'DamagedLine';
}

const newPath = (path: string): string => `${path}.new`;

function versionOf(entry: JournalEntry): number | undefined {
  if (entry.op === 'version') return entry.version;
  return entry.op === 'write' ? Number(entry.object.metadata.resourceVersion) : undefined;
}

function writeAll(file: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
}
