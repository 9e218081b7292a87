import type { ClusterConfig } from '@mcr/client';
import { RawClient } from '../../../../packages/apiserver/src/raw-client.fixture.ts';
import { readAnswers } from '../answers.ts';
import { objects } from './objects.ts';

/** A write of a status, and the errors that a server reports about it. */
interface StatusCase {
  /** Name of the object: see `objects.ts`. */
  readonly of: string;
  /** Status before the write. Default: that of a new object. */
  readonly first?: object;
  readonly status: object;
  /** The errors, as `field: message`. */
  readonly causes: readonly string[];
}

interface Cause {
  readonly field: string;
  readonly message: string;
}

/** Writes the recorded statuses as dry runs, and returns them with the errors of each. */
export async function statuses(config: ClusterConfig): Promise<readonly StatusCase[]> {
  const cases = await readAnswers<StatusCase>('statuses');
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
  return cases.map((each, index) => ({ ...each, causes: answers[index] ?? [] }));
}
