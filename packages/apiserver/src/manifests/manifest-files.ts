import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import type { ObjectManifest } from '../protocol.ts';
import { apiObjectSchema } from '../protocol.ts';
import { documentProblem } from './document-problem.ts';

/** An object in a file. */
export interface Manifest {
  /** For errors: the path of the file, and the number of the document if there are several. */
  readonly source: string;
  readonly object: ObjectManifest;
}

/** The form in which `kubectl get -o yaml` prints several objects. */
const listSchema = z.object({ kind: z.string().endsWith('List'), items: z.array(z.unknown()) });

const EXTENSIONS = ['.json', '.yaml', '.yml'];

/** Files for kustomize, which have no kind. */
const OF_KUSTOMIZE = ['kustomization.yaml', 'kustomization.yml'];

/** Maximum size of a file in bytes, and maximum number of files in a directory. */
const SIZE_LIMIT = 32 * 1024 * 1024;
const FILE_LIMIT = 10_000;

/**
 * Reads the objects in files, and in the files of directories that end with `.yaml`, `.yml` or `.json`. It does not
 * read directories in directories, and skips `kustomization.yaml`, a file for kustomize. The items of a List are read as
 * objects. (Upstream: `pkg/envtest` of controller-runtime.)
 *
 * @param option name of the option, for errors.
 * @param kinds kinds to read. Other objects are skipped. Default: all kinds except Kustomization.
 * @throws {Error} that names the path, and the document if it is not an object with `apiVersion`, `kind` and a name.
 */
export async function readManifests(
  paths: readonly string[],
  option: string,
  kinds?: readonly string[],
): Promise<Manifest[]> {
  const files = await Promise.all(paths.map((path) => filesOf(path, option)));
  const manifests: Manifest[] = [];
  for (const file of files.flat()) manifests.push(...(await readFileManifests(file, option, kinds)));
  return manifests;
}

/** Returns a file itself, or the files of a directory in the order of their names. */
async function filesOf(path: string, option: string): Promise<string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const entries = await readdir(path, { withFileTypes: true });
    const names = entries
      .filter((entry) => !entry.isDirectory() && EXTENSIONS.includes(extname(entry.name)))
      .map(({ name }) => name)
      .filter((name) => !OF_KUSTOMIZE.includes(name));
    if (names.length > FILE_LIMIT) throw new Error(`more than ${FILE_LIMIT} files: name the ones to read`);
    return names.sort().map((name) => join(path, name));
  } catch (cause) {
    throw new Error(`${option}: ${path}: ${reasonOf(cause)}`, { cause });
  }
}

async function readFileManifests(
  path: string,
  option: string,
  kinds: readonly string[] | undefined,
): Promise<Manifest[]> {
  const text = await readText(path).catch((cause: unknown) => {
    throw new Error(`${option}: ${path}: ${reasonOf(cause)}`, { cause });
  });
  return parseManifests(text, { path, option, ...(kinds && { kinds }) });
}

/** Options of {@link parseManifests}. */
export interface ParseManifestsOptions {
  /** Path of the text, for errors. */
  readonly path: string;
  /** Name of the option, for errors. */
  readonly option: string;
  /** Kinds to read. Other objects are skipped. Default: all kinds except Kustomization. */
  readonly kinds?: readonly string[];
}

/**
 * Returns the objects of a text in YAML or JSON.
 *
 * @throws {Error} that names the path, and the document if it is not an object with `apiVersion`, `kind` and a name.
 */
export function parseManifests(text: string, { path, option, kinds }: ParseManifestsOptions): Manifest[] {
  const documents = parseAllDocuments(text, { version: '1.1', merge: true });
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document, index): Manifest[] => {
    const source = documents.length === 1 ? path : `${path}, document ${index + 1}`;
    const problem = documentProblem(document, text, formatOf(path));
    if (problem !== undefined) throw new Error(`${option}: ${source}: ${problem}`);
    const content: unknown = document.toJS();
    // Between two separators, or after the last one, there is often only a comment.
    if (content === null || content === undefined) return [];
    return objectsOf(content, source).flatMap((object) => manifestOf(object, option, kinds));
  });
}

interface Found {
  readonly source: string;
  readonly content: unknown;
}

/** Returns a document, or the items of a List. */
function objectsOf(content: unknown, source: string): readonly Found[] {
  const { success, data } = listSchema.safeParse(content);
  if (!success) return [{ source, content }];
  return data.items.map((item, index) => ({ source: `${source}, item ${index + 1}`, content: item }));
}

function manifestOf({ content, source }: Found, option: string, kinds: readonly string[] | undefined): Manifest[] {
  if (isSkipped(content, kinds)) return [];
  const { success, data, error } = apiObjectSchema.safeParse(content);
  if (success) return [{ source, object: data }];
  const [issue] = error.issues;
  const field = issue?.path.join('.') ?? '';
  throw new Error(
    `${option}: ${source}: ${field === '' ? 'expected an object' : `${field} is missing or not a string`}: ` +
      'a manifest needs apiVersion, kind and metadata.name',
  );
}

function isSkipped(content: unknown, kinds: readonly string[] | undefined): boolean {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return false;
  const { kind } = content as { readonly kind?: unknown };
  if (!kinds) return kind === 'Kustomization';
  return typeof kind !== 'string' || !kinds.includes(kind);
}

function formatOf(path: string): string {
  return extname(path) === '.json' ? 'JSON' : 'YAML';
}

async function readText(path: string): Promise<string> {
  const { size } = await stat(path);
  if (size > SIZE_LIMIT) throw new Error(`the file has more than ${SIZE_LIMIT} bytes: split it`);
  return readFile(path, 'utf8');
}

function reasonOf(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'no such file or directory' : message;
}
