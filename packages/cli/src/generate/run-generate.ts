import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Output } from '../command/output.ts';
import { readIfExists } from '../files/file-access.ts';
import { checkFiles, type GeneratedFile, type GeneratedFiles, isMarked, writeFiles } from '../files/generated-files.ts';
import type { Project } from '../project/project.ts';
import { readProject } from '../project/read-project.ts';
import { chartFiles } from './chart.ts';
import { kustomizeFiles } from './kustomize.ts';
import { MARKER } from './manifest.ts';
import type { Target } from './target.ts';

/** Options of `mcr generate`. */
export interface GenerateOptions {
  /** Path of the config. */
  readonly config: string;
  /** Directory of the manifests. */
  readonly out: string;
  readonly check?: boolean;
  readonly force?: boolean;
  /** Deadline for each function of the config, in seconds. */
  readonly timeout: number;
}

/** The folders that the command writes. */
const FOLDERS = ['base', 'members', 'monitoring', 'chart'];
const REPLICAS: Readonly<Record<Project['replicas'], number>> = { single: 1, 'leader-election': 2, sharding: 3 };
const RESOURCES = { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '512Mi' } };

/** `mcr generate`: writes or checks the manifests of a program. @returns whether they are up to date. */
export async function runGenerate(options: GenerateOptions, output: Output): Promise<boolean> {
  const { config, timeout } = options;
  const project = await readProject({ config, timeout, warn: output.warn, signal: output.signal });
  return generate(project, options, output);
}

/** Writes or checks the manifests of a program. @returns whether they are up to date. */
export async function generate(
  project: Project,
  { out: directory, check = false, force = false }: Pick<GenerateOptions, 'out' | 'check' | 'force'>,
  output: Output,
): Promise<boolean> {
  for (const warning of warningsOf(project)) output.warn(`warning: ${warning}\n`);
  const generated = generatedFiles(project);
  const files: GeneratedFiles = {
    command: 'mcr generate',
    nouns: ['file', 'files'],
    marker: MARKER,
    directory,
    files: generated,
    stale: await staleFiles(directory, generated),
  };
  if (check) return checkFiles(files, output);
  await writeFiles(files, { isForced: force }, output);
  return true;
}

/** Returns all files of a program, in a stable order. */
export function generatedFiles(project: Project): GeneratedFile[] {
  const { name, namespace, deploy, replicas } = project;
  const target: Target = {
    name,
    namespace,
    image: deploy.image ?? `${name}:latest`,
    replicas: deploy.replicas ?? REPLICAS[replicas],
    resources: deploy.resources ?? RESOURCES,
  };
  return [...kustomizeFiles(project, target), ...chartFiles(project, target)];
}

/** Returns what a person should know about the manifests. */
export function warningsOf({ healthPort }: Project): string[] {
  return healthPort === undefined
    ? ["the Deployment has no probes: set health: { bindAddress: ':8081' } in the options of manager()"]
    : [];
}

/**
 * Returns the files that the command wrote before, and that are not among its files now. Looks only into folders of its own,
 * because the directory may also hold the manifests of other programs.
 */
async function staleFiles(directory: string, files: readonly GeneratedFile[]): Promise<string[]> {
  const current = new Set(files.map(({ path }) => path));
  const found = await Promise.all(FOLDERS.map((folder) => filesIn(directory, folder)));
  const paths = found.flat().filter((path) => path.endsWith('.yaml') && !current.has(path));
  const texts = await Promise.all(paths.map((path) => readIfExists(join(directory, path))));
  return paths.filter((_, index) => isMarked(texts[index] ?? '', MARKER)).sort();
}

/** Returns the paths of the files in a folder and below, from `directory`. Links are not followed. */
async function filesIn(directory: string, folder: string): Promise<string[]> {
  try {
    const entries = await readdir(join(directory, folder), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join('/'));
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw new Error(`--out: ${join(directory, folder)}: ${message}`, { cause });
  }
}
