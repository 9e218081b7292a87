import { type Manifest, parseManifests, readManifests } from '@mcr/apiserver/manifests';
import { createClient, CustomResourceDefinition, loadKubeconfig } from '@mcr/core';
import { type Definition, parseDefinition } from './definition.ts';

const KINDS = ['CustomResourceDefinition'];

/** Maximum size of standard input in bytes. */
const SIZE_LIMIT = 32 * 1024 * 1024;

/** Deadline of reading the definitions of a cluster, in milliseconds. */
const TIMEOUT = 60_000;

/** The sources of definitions. */
export interface DefinitionSources {
  /** Files and directories; `-` for standard input. */
  readonly paths: readonly string[];
  readonly context: string | undefined;
  readonly kubeconfig: string | undefined;
  /** Names or groups of definitions to read. Default: all. */
  readonly only: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Reads definitions, in the order of their names. Objects of other kinds are skipped, because directories of manifests often
 * have both.
 *
 * @throws {Error} that names the file, the document and the field of a wrong definition, or the name that was not found.
 */
export async function readDefinitions(sources: DefinitionSources): Promise<Definition[]> {
  const { paths, only } = sources;
  const found = new Map<string, Definition>();
  const add = (definition: Definition): void => {
    const { name, source } = definition;
    const other = found.get(name);
    if (other && other.source !== source) {
      throw new Error(`--crd: ${source}: CustomResourceDefinition ${name} is also in ${other.source}: remove one`);
    }
    found.set(name, definition);
  };
  for (const path of paths) {
    const manifests = path === '-' ? await readInput() : await readManifests([path], '--crd', KINDS);
    if (manifests.length === 0) {
      throw new Error(
        path === '-'
          ? '--crd: standard input: no CustomResourceDefinition found'
          : `--crd: ${path}: no CustomResourceDefinition found; subdirectories are not read: pass the directory of the files`,
      );
    }
    for (const { source, object } of manifests.filter((manifest) => isSelected(manifest.object, only))) {
      add(parseDefinition(object, `--crd: ${source}`));
    }
  }
  if (sources.context !== undefined) (await readCluster(sources.context, sources)).forEach(add);
  const definitions = [...found.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
  const missing = only.find((name) => !definitions.some((each) => isMatch(each, name)));
  if (missing !== undefined) throw new Error(`--only: no CustomResourceDefinition ${missing} found`);
  return definitions;
}

async function readInput(): Promise<Manifest[]> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > SIZE_LIMIT) throw new Error(`--crd: standard input has more than ${SIZE_LIMIT} bytes: divide it`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return parseManifests(text, { path: 'standard input', option: '--crd', kinds: KINDS });
}

async function readCluster(context: string, { kubeconfig, only, signal }: DefinitionSources): Promise<Definition[]> {
  const config = loadKubeconfig({ context, ...(kubeconfig !== undefined && { path: kubeconfig }) });
  await using client = createClient(config);
  const call = { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]) };
  const { items } = await client.list(CustomResourceDefinition, call).catch((cause: unknown) => {
    throw new Error(`--context: ${context}: failed to list definitions: ${(cause as Error).message}`, { cause });
  });
  if (items.length === 0) throw new Error(`--context: ${context}: the cluster has no CustomResourceDefinition`);
  return items
    .filter((object) => isSelected(object, only))
    .map((object) => {
      const plain: unknown = JSON.parse(JSON.stringify(object));
      const { apiVersion, kind } = CustomResourceDefinition;
      return parseDefinition(
        { ...(plain as object), apiVersion, kind },
        `--context: ${context}: ${object.metadata.name}`,
      );
    });
}

interface Named {
  readonly metadata: { readonly name: string };
}

function isSelected({ metadata }: Named, only: readonly string[]): boolean {
  const name = metadata.name;
  return only.length === 0 || only.some((each) => each === name || each === name.slice(name.indexOf('.') + 1));
}

function isMatch({ name, group }: Definition, wanted: string): boolean {
  return wanted === name || wanted === group;
}
