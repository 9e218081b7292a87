import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Clock } from '@mcr/client';
import { orAborted, sleep } from '@mcr/client';

/** Interval at which the files are read, in milliseconds. */
const PERIOD = 10_000;
/** Deadline of a read, in milliseconds. */
const DEADLINE = 10_000;
/** Maximum size of a file, in bytes. */
const MAX_SIZE = 1024 * 1024;

/** Options of {@link FollowedFiles}. */
export interface FollowedFilesOptions<Content> {
  /** Paths of the files. */
  readonly files: readonly string[];
  /** Clock of the interval between two reads. */
  readonly clock: Clock;
  /** Returns the content of the texts, in the order of the files. It must throw if they are not valid. */
  readonly parse: (texts: readonly string[]) => Content;
}

/** Receives what {@link FollowedFiles.follow} finds. */
export interface FilesListener<Content> {
  /** Called with a content that differs from the last valid one, or follows a failure. If it throws, `failed` is called. */
  changed(content: Content): void;
  /** Called once for each error that differs from the one before. */
  failed(error: unknown): void;
}

/**
 * Files that may be replaced while the program runs, such as those of a mounted Secret. Each file must be a regular one of
 * at most 1 MiB, and a read takes at most 10 s.
 */
export class FollowedFiles<Content> {
  readonly #options: FollowedFilesOptions<Content>;
  #reading: Promise<Content> | undefined;
  #parsed: { readonly key: string; readonly content: Content } | undefined;
  /** The texts or the error that the caller of {@link read}, and later the listener, have seen last. */
  #seen: string | undefined;
  #end: AbortController | undefined;

  constructor(options: FollowedFilesOptions<Content>) {
    this.#options = options;
  }

  /**
   * Reads the files. Calls at the same time share one read.
   *
   * @throws {Error} if a file cannot be read, is too large or not valid; the message names it.
   */
  async read(signal?: AbortSignal): Promise<Content> {
    const { files } = this.#options;
    // A file system that hangs occupies one read, however often it is called.
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    const deadline = AbortSignal.timeout(DEADLINE);
    try {
      return await orAborted(this.#reading, signal ? AbortSignal.any([signal, deadline]) : deadline);
    } catch (error) {
      if (!deadline.aborted || error !== deadline.reason) throw error;
      throw new Error(`${files.join(', ')}: not read within ${DEADLINE} ms: check the file system`, { cause: error });
    }
  }

  /** Reads the files every 10 s, and notifies `listener` of changes since the last {@link read}, until {@link stop}. */
  follow(listener: FilesListener<Content>): void {
    const end = new AbortController();
    this.#end = end;
    const poll = async (): Promise<void> => {
      for (;;) {
        await sleep(this.#options.clock, PERIOD, end.signal);
        await this.#compare(listener, end.signal);
      }
    };
    // It rejects only when it is stopped.
    poll().catch(() => undefined);
  }

  stop(): void {
    this.#end?.abort();
    this.#end = undefined;
  }

  async #compare(listener: FilesListener<Content>, signal: AbortSignal): Promise<void> {
    try {
      const content = await this.read(signal);
      if (signal.aborted || this.#parsed?.key === this.#seen) return;
      listener.changed(content);
      this.#seen = this.#parsed?.key;
    } catch (error) {
      if (signal.aborted || String(error) === this.#seen) return;
      this.#seen = String(error);
      listener.failed(error);
    }
  }

  async #read(): Promise<Content> {
    const { files, parse } = this.#options;
    let seen: string;
    try {
      const texts = await Promise.all(files.map(readText));
      seen = texts.join('\0');
      if (this.#parsed?.key !== seen) this.#parsed = { key: seen, content: parse(texts) };
    } catch (error) {
      if (!this.#end) this.#seen = String(error);
      throw error;
    }
    if (!this.#end) this.#seen = seen;
    return this.#parsed.content;
  }
}

async function readText(file: string): Promise<string> {
  // Without O_NONBLOCK, the opening of a pipe waits for a writer.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await handle.stat()).isFile()) throw new Error(`${file}: expected a regular file`);
    const chunks: Buffer[] = [];
    let size = 0;
    // `end` is inclusive, so that a file that is too large is noticed.
    for await (const chunk of handle.createReadStream({ end: MAX_SIZE, autoClose: false })) {
      const bytes = chunk as Buffer;
      chunks.push(bytes);
      size += bytes.length;
    }
    if (size > MAX_SIZE) throw new Error(`${file}: expected at most ${MAX_SIZE} bytes`);
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    await handle.close();
  }
}
