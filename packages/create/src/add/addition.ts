import { ModuleText, UnexpectedCodeError } from '../edit/module-text.ts';
import { withDependencies } from '../manifest.ts';

/** The files and lines that are added to a project. */
export interface Addition {
  /** Texts of new files by their paths. */
  readonly files: ReadonlyMap<string, string>;
  readonly edits: readonly Edit[];
  /** Packages that the project needs. */
  readonly dependencies: readonly string[];
  /** Hints for the person who adds it. Default: none. */
  readonly notes?: readonly string[];
}

/** A change of a module of the project. */
export interface Edit {
  /** Path of the module. */
  readonly path: string;
  /** Whether nothing is left to do, for example because a person has done it. */
  readonly isDone: (module: ModuleText) => boolean;
  /** @throws {UnexpectedCodeError} if the module is not written as expected. */
  readonly apply: (module: ModuleText) => void;
  /** Lines to write by hand if the edit fails. */
  readonly instructions: readonly string[];
}

/** Reads a file of a project. Returns `undefined` if there is none. */
export type ReadFile = (path: string) => Promise<string | undefined>;

/** A file that is written. */
export interface Change {
  readonly path: string;
  /** The previous text. `undefined` for a new file. */
  readonly before: string | undefined;
  readonly after: string;
}

/** Thrown if a project cannot be extended. Nothing is changed. */
export class AdditionError extends Error {
  override readonly name = 'AdditionError';
}

/**
 * Returns the changes of an addition. None of them is written.
 *
 * @throws {AdditionError} if a new file exists with another text, or a file is not written as expected. The message says what to
 * write by hand.
 */
export async function changesOf({ files, edits, dependencies }: Addition, read: ReadFile): Promise<Change[]> {
  const changes: Change[] = [];
  for (const [path, after] of files) {
    const before = await read(path);
    if (before === undefined) changes.push({ path, before, after });
    else if (before !== after) throw new AdditionError(`${path} exists already: nothing was changed`);
  }
  const problems: string[] = [];
  const attempt = async (path: string, change: (text: string) => string | Promise<string>, hint: readonly string[]) => {
    try {
      const before = await read(path);
      if (before === undefined) throw new UnexpectedCodeError('no such file');
      const after = await change(before);
      if (after !== before) changes.push({ path, before, after });
    } catch (error) {
      if (!(error instanceof UnexpectedCodeError)) throw error;
      problems.push([`${path}: ${error.message}`, ...hint.map((line) => `  ${line}`)].join('\n'));
    }
  };
  for (const { path, isDone, apply, instructions } of edits) {
    const change = (text: string): string => {
      const module = new ModuleText(text);
      if (!isDone(module)) apply(module);
      return module.toString();
    };
    await attempt(path, change, instructions);
  }
  await attempt('package.json', (text) => withDependencies(text, dependencies), [
    `npm install ${dependencies.join(' ')}`,
  ]);
  if (problems.length === 0) return changes;
  throw new AdditionError(
    `nothing was changed: write these lines by hand, and run the command again\n\n${problems.join('\n\n')}`,
  );
}
