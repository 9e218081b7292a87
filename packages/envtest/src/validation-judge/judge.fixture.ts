import { readFile } from 'node:fs/promises';
import type { ClusterConfig } from '@mcr/client';
import { RawClient } from '../../../apiserver/src/raw-client.fixture.ts';
import type { CorpusObject } from './objects.fixture.ts';
import { objects } from './objects.fixture.ts';

/** A change of one field of an object, and the errors that kube-apiserver reports about it. */
export interface Case {
  /** Name of the object: see `objects.fixture.ts`. */
  readonly of: string;
  readonly verb: 'POST' | 'PUT';
  /** Path of the field: names, and indexes of lists. */
  readonly at: readonly (string | number)[];
  /** The new value. Absent: the field is removed. */
  readonly to?: unknown;
  /** The errors, as `field: message`. */
  readonly causes: readonly string[];
}

export const corpus = new URL('corpus.ndjson', import.meta.url);

/** Reads the recorded cases. */
export async function readCases(): Promise<readonly Case[]> {
  const lines = (await readFile(corpus, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Case);
}

/** Returns a copy of an object with the change of a case. */
export function changed(object: unknown, { at, to }: Pick<Case, 'at' | 'to'>): unknown {
  const copy = structuredClone(object);
  const key = at.at(-1) as string;
  const parent = at.slice(0, -1).reduce((value, step) => (value as Record<string | number, unknown>)[step], copy);
  if (to !== undefined) (parent as Record<string, unknown>)[key] = to;
  else if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else Reflect.deleteProperty(parent as object, key);
  return copy;
}

interface Cause {
  readonly field: string;
  readonly message: string;
}

/** Number of requests at a time. */
const PARALLEL = 32;

/** Sends cases to a server, as dry runs, and returns the errors of each. */
export async function examineCases(config: ClusterConfig, cases: readonly Case[]): Promise<readonly string[][]> {
  using client = new RawClient(config);
  const present = new Map<string, Present>();
  for (const { of, verb } of cases) {
    if (verb === 'PUT' && !present.has(of)) present.set(of, await created(client, of));
  }
  const answers: string[][] = [];
  for (let start = 0; start < cases.length; start += PARALLEL) {
    const batch = cases.slice(start, start + PARALLEL).map((change) => examine(client, change, present.get(change.of)));
    answers.push(...(await Promise.all(batch)));
  }
  return answers;
}

interface Present {
  readonly metadata: { readonly name: string };
}

async function created(client: RawClient, of: string): Promise<Present> {
  const { path, object } = named(of);
  const name = object.metadata?.name ?? `put-${of.split('/').at(-1)}`;
  await client.post(path, { ...object, metadata: { name } });
  const { body } = await client.get(`${path}/${name}`);
  return { ...body, metadata: { ...body.metadata, managedFields: undefined } } as unknown as Present;
}

function named(of: string): CorpusObject {
  const found = objects[of];
  if (!found) throw new Error(`${of}: not an object of objects.fixture.ts`);
  return found;
}

async function examine(client: RawClient, change: Case, present: Present | undefined): Promise<string[]> {
  const { path, object } = named(change.of);
  const own = { ...object, metadata: { name: object.metadata?.name ?? 'a' } };
  const answer =
    change.verb === 'PUT'
      ? await client.put(`${path}/${present?.metadata.name}?dryRun=All`, changed(present, change))
      : await client.post(`${path}?dryRun=All`, changed(own, change));
  const causes = (answer.body.details as { readonly causes?: readonly Cause[] } | undefined)?.causes;
  return causes ? textsOf(causes) : [`status ${answer.status}`];
}

/** A real server repeats the errors of checks that run twice, and ends some with a difference of Go values. */
function textsOf(causes: readonly Cause[]): string[] {
  return [...new Set(causes.map(({ field, message }) => `${field}: ${message.replace(/\n@@[^]*/u, '')}`))];
}
