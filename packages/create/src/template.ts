import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuiltInName, camelCase, kebabCase, type OwnKind } from './answers.ts';

/** The package of this program, in its sources as in `dist`. */
export const PACKAGE = join(import.meta.dirname, '..');

/** The names that replace those of the templates, which are a project with the default answers. */
export interface Names {
  /** Name of the project. */
  readonly name: string;
  /** Namespace of the program. Default: the name. */
  readonly namespace?: string;
  readonly group: string;
  readonly kind?: OwnKind | BuiltInName;
}

/** Returns the files of a template by their paths in the project. */
export async function templateFiles(template: string, names: Names): Promise<Map<string, string>> {
  const root = join(PACKAGE, 'templates', template);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = new Map<string, string>();
  for (const entry of entries.filter((each) => each.isFile())) {
    const file = join(entry.parentPath, entry.name);
    // npm does not pack some files whose names begin with a dot.
    const path = file.slice(root.length + 1).replace(/^_/u, '.');
    files.set(namedPath(path, names), namedText(await readFile(file, 'utf8'), names));
  }
  return files;
}

function namedPath(path: string, { kind }: Names): string {
  if (kind === undefined) return path;
  const folder = kebabCase(typeof kind === 'string' ? kind : kind.name);
  return path.replace(/^src\/(?:greeting|config-map)\//u, `src/${folder}/`);
}

function namedText(text: string, { name, namespace = name, group, kind }: Names): string {
  const words: Record<string, string> = {
    "namespace: 'my-operator'": `namespace: '${namespace}'`,
    'my-operator': name,
    'demo.example.com': group,
    ...(typeof kind === 'string' && { ConfigMap: kind, configMap: camelCase(kind) }),
    ...(typeof kind === 'object' && { Greeting: kind.name, greetings: kind.plural, greeting: camelCase(kind.name) }),
  };
  return text.replaceAll(
    /namespace: 'my-operator'|my-operator|demo\.example\.com|ConfigMap|configMap(?=[A-Z])|Greeting|greetings|greeting(?=[A-Z])/gu,
    (word) => words[word] ?? word,
  );
}
