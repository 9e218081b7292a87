import { describe, expect, it } from '@jest/globals';
import { createControlPlane } from '../create-control-plane.ts';
import { applySequence } from './apply-sequences.fixture.ts';

/** Time for the requests to two servers, and for the start of the slower one. */
const DEADLINE = 120_000;

const SEEDS = [1, 2, 3, 4];

/** The comparison needs kube-apiserver v1.35. */
const compare = process.env['KUBEBUILDER_ASSETS'] ? it : it.skip;

describe('server-side apply, compared with kube-apiserver v1.35', () => {
  compare(
    'K-25: random applies, updates and patches have the same objects, managedFields and errors',
    async () => {
      await using real = await createControlPlane({ backend: 'binaries' });
      await using embedded = await createControlPlane({ backend: 'embedded' });
      for (const seed of SEEDS) {
        const expected = await applySequence(real.config, seed);
        const actual = await applySequence(embedded.config, seed);
        for (const [index, fact] of actual.entries()) {
          expect({ seed, index, fact: plain(fact) }).toEqual({ seed, index, fact: plain(expected[index]) });
        }
        expect(actual).toHaveLength(expected.length);
      }
    },
    DEADLINE,
  );
});

/** Removes fields without a value. */
function plain(fact: unknown): unknown {
  return JSON.parse(JSON.stringify(fact)) as unknown;
}
