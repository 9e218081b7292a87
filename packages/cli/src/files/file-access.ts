import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MARKER } from './module/kind-module.ts';

/** Reads a module that may not exist. @throws {Error} that names the file, if it cannot be read. */
export async function readModule(directory: string, path: string): Promise<string | undefined> {
  const file = join(directory, path);
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new Error(`--out: ${file}: ${message}`, { cause });
  }
}

/** Reports whether this command wrote the text. */
export function isOurs(text: string): boolean {
  return text.startsWith(MARKER);
}

/** Replaces a file as a whole: a crash leaves the previous text or the new one. */
export async function writeModule(file: string, text: string): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    await mkdir(dirname(file), { recursive: true });
    const handle = await open(temporary, 'wx');
    try {
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw new Error(`--out: ${file}: ${(cause as Error).message}`, { cause });
  }
}
