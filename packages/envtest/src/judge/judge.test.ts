import { describe, expect, it } from '@jest/globals';
import { createControlPlane } from '../create-control-plane.ts';
import { examine } from './judge.fixture.ts';
import { readTranscript } from './transcript.fixture.ts';

/** Time for a few hundred requests, and for watches that end by their timeout. */
const DEADLINE = 120_000;

/** If kube-apiserver is available, the test also checks that the transcript still matches it. */
const backends = process.env['KUBEBUILDER_ASSETS'] ? (['embedded', 'binaries'] as const) : (['embedded'] as const);

describe('the responses of kube-apiserver v1.35.4 to a script of requests', () => {
  it.each(backends)(
    'K-1 to K-8, K-10 to K-19, K-21: a control plane of backend "%s" returns the same responses and watch events',
    async (backend) => {
      await using controlPlane = await createControlPlane({ backend });
      const transcript = await readTranscript();
      // Serialized and parsed like the transcript.
      const facts = JSON.parse(JSON.stringify(await examine(controlPlane.config))) as typeof transcript;
      for (const [index, fact] of facts.entries()) expect(fact).toEqual(transcript[index]);
      expect(facts).toHaveLength(transcript.length);
    },
    DEADLINE,
  );
});
