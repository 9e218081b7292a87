import { readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
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

/** Returns the files that the command wrote before, and that are not among its files now. */
async function staleFiles(directory: string, files: readonly GeneratedFile[]): Promise<string[]> {
  const current = new Set(files.map(({ path }) => path));
  const found = await readdir(directory, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw new Error(`--out: ${directory}: ${message}`, { cause });
  });
  const paths = found
    .filter((entry) => entry.isFile() && entry.name.endsWith('.yaml'))
    .map((entry) => join(entry.parentPath, entry.name).slice(join(directory, sep).length).split(sep).join('/'))
    .filter((path) => !current.has(path));
  const texts = await Promise.all(paths.map((path) => readIfExists(join(directory, path))));
  return paths.filter((_, index) => isMarked(texts[index] ?? '', MARKER)).sort();
}
