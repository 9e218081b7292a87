import { readFile } from 'node:fs/promises';
import type { ClusterConfig } from '@mcr/client';
import { RawClient } from '../../../apiserver/src/raw-client.fixture.ts';
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

/** Sends cases to a server, as dry runs, and returns the errors of each. */
export async function examineCases(config: ClusterConfig, cases: readonly Case[]): Promise<readonly string[][]> {
  using client = new RawClient(config);
  const present = new Map<string, unknown>();
  const answers: string[][] = [];
  for (const change of cases) {
    const { path, object } = objects[change.of] ?? { path: '', object: {} };
    const { name } = object.metadata ?? { name: 'a' };
    const own = { ...object, metadata: { ...object.metadata, name } };
    if (change.verb === 'PUT' && !present.has(change.of)) {
      const put = object.metadata?.name ?? `put-${nth(change.of)}`;
      await client.post(path, { ...object, metadata: { name: put } });
      const { body } = await client.get(`${path}/${put}`);
      present.set(change.of, { ...body, metadata: { ...body.metadata, managedFields: undefined } });
    }
    const before = present.get(change.of) as { readonly metadata: { readonly name: string } } | undefined;
    const answer =
      change.verb === 'PUT'
        ? await client.put(`${path}/${before?.metadata.name}?dryRun=All`, changed(before, change))
        : await client.post(`${path}?dryRun=All`, changed(own, change));
    const causes = (answer.body.details as { readonly causes?: readonly Cause[] } | undefined)?.causes;
    answers.push(causes ? textsOf(causes) : [`status ${answer.status}`]);
  }
  return answers;
}

function nth(name: string): string {
  return name.split('/').at(-1) ?? '';
}

/** A real server repeats the errors of checks that run twice, and ends some with a difference of Go values. */
function textsOf(causes: readonly Cause[]): string[] {
  return [...new Set(causes.map(({ field, message }) => `${field}: ${message.replace(/\n@@[^]*/u, '')}`))];
}
