import { describe, expect, it } from '@jest/globals';
import * as client from '@mcr/client';
import * as core from '../index.ts';
import { InMemoryCluster } from './in-memory-cluster.ts';

/** Kinds that are not exported: one is deprecated, and the other is exported in version `autoscaling/v2`. */
const LEFT_OUT = ['autoscaling/v1 HorizontalPodAutoscaler', 'v1 ComponentStatus'];

interface Named {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: string;
}

function textsOf(values: readonly unknown[]): Set<string> {
  const kinds = values.filter(
    (value): value is Named => typeof value === 'object' && value !== null && 'apiVersion' in value && 'kind' in value,
  );
  return new Set(kinds.map(textOf));
}

function textOf({ apiVersion, kind, plural, scope }: Named): string {
  return `${apiVersion} ${kind} ${plural} ${scope}`;
}

describe('built-in kinds', () => {
  it('K-20: are exported for every stable kind of the API server, with its plural and scope', async () => {
    const served = await new InMemoryCluster().restMapper.resources();
    const stable = served.filter(
      ({ apiVersion, kind }) => /(^|\/)v\d+$/.test(apiVersion) && !LEFT_OUT.includes(`${apiVersion} ${kind}`),
    );
    expect(stable.length).toBeGreaterThan(60);
    for (const exported of [textsOf(Object.values(client)), textsOf(Object.values(core))]) {
      expect(stable.map(textOf).filter((text) => !exported.has(text))).toEqual([]);
    }
  });
});
