import type { ClusterConfig } from '@mcr/client';
import type { Fact, Step } from '../session.ts';
import { Session } from '../session.ts';
import { certificates } from './certificates.ts';
import { creations } from './creations.ts';
import { invalidObjects } from './invalid-objects.ts';
import { limitRanges, scheduling } from './scheduling.ts';
import { semantics } from './semantics.ts';
import { warnings } from './warnings.ts';
import { workloadChanges } from './workload-rules.ts';

const steps: readonly Step[] = [
  // Before there are limits for Pods.
  ...warnings,
  ...creations,
  ...semantics,
  ...scheduling,
  ...certificates,
  ...invalidObjects,
  ...workloadChanges,
  ...limitRanges,
];

/**
 * Creates, changes and deletes objects of every kind. Addresses that a server chooses, uids and versions are not compared,
 * and neither are the owners of fields: other scripts compare them.
 */
export async function kinds(config: ClusterConfig): Promise<readonly Fact[]> {
  using session = new Session(config);
  for (const step of steps) await session.send(step);
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
