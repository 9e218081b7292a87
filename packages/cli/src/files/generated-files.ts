import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Output } from '../command/output.ts';
import { readIfExists, replaceFile } from './file-access.ts';
import { lineDifference } from './line-difference.ts';

/** A file that a command writes. */
export interface GeneratedFile {
  /** Path in the output directory. */
  readonly path: string;
  readonly text: string;
}

/** The files of a command. */
export interface GeneratedFiles {
  /** Name of the command in messages, for example `mcr types`. */
  readonly command: string;
  /** Names of one file and of several ones in messages. */
  readonly nouns: readonly [one: string, several: string];
  /** Text in the first two lines of each file that the command wrote. */
  readonly marker: string;
  readonly directory: string;
  readonly files: readonly GeneratedFile[];
  /** Paths of files that the command wrote before, and that it no longer writes. Default: none. */
  readonly stale?: readonly string[];
}

/**
 * Writes the files that have changed, and deletes stale ones.
 *
 * @param options.isForced overwrites files that the command did not write.
 * @throws {Error} before anything is written, if a file was not written by the command.
 */
export async function writeFiles(
  { command, marker, directory, files, stale = [] }: GeneratedFiles,
  { isForced }: { readonly isForced: boolean },
  { print }: Output,
): Promise<void> {
  const entries = await Promise.all(
    files.map(async ({ path, text }) => {
      const file = join(directory, path);
      return { file, text, before: await readIfExists(file) };
    }),
  );
  const foreign = entries.find(({ before }) => before !== undefined && !isMarked(before, marker) && !isForced);
  if (foreign) {
    throw new Error(`--out: ${foreign.file} was not written by ${command}: move it, or set --force to overwrite it`);
  }
  for (const { file, text, before } of entries) {
    if (before !== text) await replaceFile(file, text);
    print(`${before === text ? 'unchanged' : before === undefined ? 'created' : 'updated'} ${file}\n`);
  }
  for (const path of stale) {
    await rm(join(directory, path), { force: true });
    print(`deleted ${join(directory, path)}\n`);
  }
}

/** Returns whether a command with this marker wrote a file. A format without comments has the marker in its second line. */
export function isMarked(text: string, marker: string): boolean {
  return text.split('\n', 2).some((line) => line.includes(marker));
}

/** Prints the files that differ from what the command would write. @returns whether none does. */
export async function checkFiles(
  { command, nouns: [one, several], directory, files, stale = [] }: GeneratedFiles,
  { print, warn }: Output,
): Promise<boolean> {
  let outdated = stale.length;
  for (const { path, text } of files) {
    const file = join(directory, path);
    const before = await readIfExists(file);
    if (before === text) continue;
    outdated += 1;
    print(before === undefined ? `missing ${file}\n` : `out of date ${file}\n${lineDifference(before, text)}`);
  }
  for (const path of stale) print(`no longer needed ${join(directory, path)}\n`);
  const count = files.length + stale.length;
  if (outdated === 0) print(`${count} ${count === 1 ? `${one} is` : `${several} are`} up to date\n`);
  else
    warn(
      `mcr: ${outdated} of ${count} ${several} ${outdated === 1 ? 'is' : 'are'} out of date: run ${command} without --check\n`,
    );
  return outdated === 0;
}
