import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Answers } from './answers.ts';
import { manifestOf } from './manifest.ts';

/** The package of this program, in its sources as in `dist`. */
const PACKAGE = join(import.meta.dirname, '..');

/**
 * Writes a project.
 *
 * @throws {Error} if the directory has files.
 */
export async function writeProject(answers: Answers): Promise<void> {
  const { directory } = answers;
  const present = await readdir(directory).catch((cause: unknown) => {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw new Error(`${directory}: ${message}`, { cause });
  });
  if (present.length > 0) throw new Error(`${directory} is not empty: choose another directory`);
  for (const [path, text] of await projectFiles(answers)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  }
}

/** Returns the files of a project by their paths. Later templates replace files of earlier ones. */
async function projectFiles(answers: Answers): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const template of templatesOf(answers)) {
    const root = join(PACKAGE, 'templates', template);
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = join(entry.parentPath, entry.name);
      // npm does not pack some files whose names begin with a dot.
      const path = file.slice(root.length + 1).replace(/^_/u, '.');
      files.set(path, named(await readFile(file, 'utf8'), answers));
    }
  }
  files.set('package.json', await manifestOf(answers, join(PACKAGE, 'package.json')));
  return files;
}

function templatesOf({ kind, provider, hasWebhooks }: Answers): string[] {
  const type = typeof kind === 'string' ? 'builtin' : 'own';
  const templates = ['base', type, `provider-${provider}`];
  if (!hasWebhooks) return templates;
  return [...templates, 'webhooks', provider === 'none' ? 'webhooks-local' : 'webhooks-fleet', `webhooks-${type}`];
}

/** Replaces the names in a template, which is a project with the default answers, by those of the project. */
function named(text: string, { name, kind }: Answers): string {
  const names: Record<string, string> =
    typeof kind === 'string'
      ? { 'my-operator': name, ConfigMap: kind }
      : { 'my-operator': name, Greeting: kind.name, greetings: kind.plural, 'demo.example.com': kind.group };
  return text.replaceAll(
    /my-operator|ConfigMap|Greeting|greetings|demo\.example\.com/gu,
    (word) => names[word] ?? word,
  );
}
