import { readFile } from 'node:fs/promises';
import type { ClusterConfig } from '@mcr/client';
import { RawClient } from '../../../apiserver/src/raw-client.fixture.ts';
import { objects } from './objects.fixture.ts';

/** A write of a status, and the errors that kube-apiserver reports about it. */
export interface StatusCase {
  /** Name of the object: see `objects.fixture.ts`. */
  readonly of: string;
  /** Status before the write. Default: that of a new object. */
  readonly first?: object;
  readonly status: object;
  /** The errors, as `field: message`. */
  readonly causes: readonly string[];
}

export const corpus = new URL('corpus.ndjson', import.meta.url);

/** Reads the recorded cases. */
export async function readStatusCases(): Promise<readonly StatusCase[]> {
  const lines = (await readFile(corpus, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as StatusCase);
}

interface Cause {
  readonly field: string;
  readonly message: string;
}

/** Writes the status of each case to a server as a dry run, and returns the errors of each. */
export async function examineStatusCases(
  config: ClusterConfig,
  cases: readonly StatusCase[],
): Promise<readonly string[][]> {
  using client = new RawClient(config);
  const present = new Map<string, Awaited<ReturnType<RawClient['get']>>['body']>();
  const answers: string[][] = [];
  for (const { of, first, status } of cases) {
    const { path, object } = objects[of] ?? { path: '', object: {} };
    const key = JSON.stringify({ of, first });
    const name = present.get(key)?.metadata.name ?? `judge-${present.size}`;
    if (!present.has(key)) {
      const { body } = await client.post(path, { ...object, metadata: { name } });
      if (first) await client.put(`${path}/${name}/status`, { ...body, status: first });
      present.set(key, (await client.get(`${path}/${name}`)).body);
    }
    const answer = await client.put(`${path}/${name}/status?dryRun=All`, { ...present.get(key), status });
    const causes = (answer.body.details as { readonly causes?: readonly Cause[] } | undefined)?.causes;
    answers.push(causes?.map(({ field, message }) => `${field}: ${message}`) ?? [`status ${answer.status}`]);
  }
  return answers;
}
