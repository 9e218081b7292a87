import { chmod, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { AddOptions, AddRequest } from '../add.ts';
import { BUILT_IN, type BuiltInName, pluralOf } from '../answers.ts';
import { nearest } from '../nearest.ts';
import { type Addition, AdditionError, type Change, changesOf, type ReadFile } from './addition.ts';
import { kindAddition } from './kind.ts';
import { lineChanges } from './line-changes.ts';
import { type ProjectNames, type ProjectParts, readParts } from './project-names.ts';
import { providerAddition } from './provider.ts';
import { webhookAddition } from './webhook.ts';

/** Maximum size of a file that is read, in bytes. Files of a project that are written by hand are smaller. */
const MAX_BYTES = 1024 * 1024;

/** See {@link import('../add.ts').addToProject}. */
export async function extendProject(request: AddRequest, { config, dryRun, print }: AddOptions): Promise<void> {
  const directory = dirname(config);
  const read: ReadFile = (path) => readText(join(directory, path));
  const parts = await readParts(read, basename(config));
  const addition = await additionOf(request, parts, basename(config));
  const changes = await changesOf(addition, read);
  if (!dryRun) await writeChanges(directory, changes);
  for (const change of changes) print(textOf(change, dryRun));
  for (const note of addition.notes ?? []) print(`note: ${note}\n`);
  print(changes.length === 0 ? 'the project has it already: nothing was changed\n' : nextSteps(changes, dryRun));
}

async function additionOf(request: AddRequest, parts: ProjectParts, config: string): Promise<Addition> {
  const { kinds, hasProvider, hasWebhooks } = parts;
  const names: ProjectNames = { name: parts.name, namespace: parts.namespace, group: parts.group };
  switch (request.part) {
    case 'kind': {
      const { name, plural, group } = request;
      if (isBuiltIn(name) && plural === undefined && group === undefined) return kindAddition(name, names);
      return kindAddition({ name, plural: plural ?? pluralOf(name), group: group ?? names.group }, names);
    }
    case 'webhook': {
      const name = kindNamed(request.kind, parts);
      const group = kinds.get(name);
      const kind = group === undefined && isBuiltIn(name) ? name : { name, plural: pluralOf(name), group: group ?? '' };
      return webhookAddition({ kind, hasServer: hasWebhooks, hasProvider, config }, names);
    }
    case 'provider': {
      const isPresent = parts.providers.has(request.name);
      const isFirst = !hasProvider || (isPresent && !parts.hasProviders);
      const addition = await providerAddition(request.name, { ...names, isFirst });
      return { ...addition, notes: isPresent ? [] : providerNotes(parts) };
    }
  }
}

function kindNamed(name: string, { kinds }: ProjectParts): string {
  if (kinds.has(name)) return name;
  const names = [...kinds.keys()];
  const near = nearest(name, names);
  const known = names.length === 0 ? 'add one with mcr add kind' : `expected ${names.join(', ')}`;
  throw new AdditionError(
    `src/setup.ts adds no controller of a kind ${name}: ${near === undefined ? known : `did you mean ${near}?`}`,
  );
}

function isBuiltIn(name: string): name is BuiltInName {
  return (BUILT_IN as readonly string[]).includes(name);
}

function providerNotes({ hasProvider, hasProviders, hasWebhooks }: ProjectParts): string[] {
  if (hasProviders) return [];
  if (hasProvider) return ['names of clusters have the prefix of their provider now, such as kubeconfig#eu-1 for eu-1'];
  return hasWebhooks
    ? ['src/webhooks.ts installs the webhooks in the local cluster only: see the option url of installWebhooks']
    : [];
}

async function readText(file: string): Promise<string | undefined> {
  try {
    const found = await stat(file);
    // A pipe blocks its reader, and a device may have no end.
    if (!found.isFile()) throw new AdditionError(`${file} is not a regular file: nothing was changed`);
    if (found.size > MAX_BYTES)
      throw new AdditionError(`${file} has more than ${MAX_BYTES} bytes: nothing was changed`);
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Writes new files first, because the others refer to them. */
async function writeChanges(directory: string, changes: readonly Change[]): Promise<void> {
  for (const { path, before, after } of changes) {
    const file = join(directory, path);
    if (before === undefined) {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, after, { flag: 'wx' });
    } else await replaceFile(file, { before, after });
  }
}

/** Replaces a file as a whole, unless it was changed after it was read. A link stays one, and the file keeps its mode. */
async function replaceFile(link: string, { before, after }: { readonly before: string; readonly after: string }) {
  const file = await realpath(link);
  if ((await readFile(file, 'utf8')) !== before)
    throw new AdditionError(`${link} was changed at the same time: it was not written: run the command again`);
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, after, { flag: 'wx' });
    await chmod(temporary, (await stat(file)).mode);
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}

function textOf({ path, before, after }: Change, isDryRun: boolean): string {
  const verb = before === undefined ? 'create' : 'update';
  if (!isDryRun) return `${verb}d ${path}\n`;
  const lines = before === undefined ? after.trimEnd().split('\n') : lineChanges(before, after);
  return `would ${verb} ${path}\n${lines.map((line) => `    ${line}`.trimEnd()).join('\n')}\n`;
}

function nextSteps(changes: readonly Change[], isDryRun: boolean): string {
  if (isDryRun) return 'nothing was written\n';
  const install = changes.some(({ path }) => path === 'package.json') ? ['npm install'] : [];
  return `Next:\n\n${[...install, 'npm run generate', 'npm test'].map((line) => `  ${line}\n`).join('')}`;
}
