import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Addition, changesOf } from './add/addition.ts';
import { kindAddition } from './add/kind.ts';
import { providerAddition } from './add/provider.ts';
import { webhookAddition } from './add/webhook.ts';
import { type Answers, DEFAULTS } from './answers.ts';
import { newManifest } from './manifest.ts';
import { templateFiles } from './template.ts';

/**
 * Writes a project.
 *
 * @throws {Error} if the directory has files. A new Git repository is accepted.
 */
export async function writeProject(answers: Answers): Promise<void> {
  const directory = resolve(answers.directory);
  const present = await readdir(directory).catch((cause: unknown) => {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    const why = code === 'ENOTDIR' ? 'it is a file' : message;
    throw new Error(`${directory}: ${why}: choose another directory`, { cause });
  });
  if (present.some((name) => name !== '.git')) throw new Error(`${directory} is not empty: choose another directory`);
  for (const [path, text] of await projectFiles(answers)) {
    await makeDirectories(dirname(join(directory, path)));
    await writeFile(join(directory, path), text, { flag: 'wx' });
  }
}

/** Creates a directory and those above it. The option `recursive` of Node.js never ends where none can be made, as in /proc. */
async function makeDirectories(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT') throw error;
    await makeDirectories(dirname(path));
    await mkdir(path);
  }
}

/** Returns the files of a project by their paths: an empty project, to which its parts are added as `mcr add` does. */
export async function projectFiles(answers: Answers): Promise<Map<string, string>> {
  const { name, kind, provider, hasWebhooks, isSharded } = answers;
  const names = { name, namespace: name, group: typeof kind === 'string' ? DEFAULTS.group : kind.group };
  const files = await templateFiles('base', names);
  if (isSharded) for (const [path, text] of await templateFiles('sharding', names)) files.set(path, text);
  files.set('package.json', await newManifest(name));
  const add = async (addition: Addition): Promise<void> => {
    const changes = await changesOf(addition, (path) => Promise.resolve(files.get(path)));
    for (const { path, after } of changes) files.set(path, after);
  };
  if (provider !== 'none') await add(await providerAddition(provider, { ...names, isFirst: true }));
  await add(await kindAddition(kind, names));
  if (hasWebhooks)
    await add(
      await webhookAddition(
        { kind, hasServer: false, hasProvider: provider !== 'none', config: 'mcr.config.ts' },
        names,
      ),
    );
  return files;
}
