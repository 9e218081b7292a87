import type { ClusterConfig } from '@mcr/client';
import type { Fact } from '../judge/session.fixture.ts';
import { Session } from '../judge/session.fixture.ts';
import { certificates } from './certificates.fixture.ts';
import { creations } from './creations.fixture.ts';
import { invalidObjects } from './invalid-objects.fixture.ts';
import { limitRanges, scheduling } from './scheduling.fixture.ts';
import { semantics } from './semantics.fixture.ts';
import type { Step } from './step.fixture.ts';

const PATCHES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

export const script: readonly Step[] = [
  ...creations,
  ...semantics,
  ...scheduling,
  ...certificates,
  ...invalidObjects,
  ...limitRanges,
];

/**
 * Returns the responses of a server to the script. Addresses that a server chooses, uids and versions are not compared, and
 * neither are the owners of fields: other tests compare them.
 */
export async function examineKinds(config: ClusterConfig): Promise<readonly Fact[]> {
  using session = new Session(config);
  for (const { method, path, body, type } of script) {
    const headers = body === undefined ? {} : { 'content-type': type ? PATCHES[type] : 'application/json' };
    await session.ask(method, path, { body, headers });
  }
  const text = JSON.stringify(session.facts, (field, value: unknown) => {
    if (field === 'managedFields') return undefined;
    return typeof value === 'string' ? stable(value) : value;
  });
  return JSON.parse(text) as Fact[];
}

function stable(text: string): string {
  return (
    text
      // Messages about immutable fields end with a difference of Go values.
      .replace(/\n@@[^]*/u, '')
      .replaceAll(/10\.0\.0\.(?!1\b|200\b|77\b)\d+/gu, 'address')
      .replaceAll(/\b(?<noun>uid|version)-\d+/gu, '$<noun>')
  );
}
