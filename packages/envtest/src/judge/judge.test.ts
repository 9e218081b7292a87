import { describe, expect, it } from '@jest/globals';
import { createControlPlane } from '../control-plane.ts';
import { examine } from './judge.fixture.ts';
import { readTranscript } from './transcript.fixture.ts';

/** The script has some hundred requests, and watches that end by their timeout. */
const DEADLINE = 120_000;

/** With a kube-apiserver at hand it is asked, too: that the transcript is still what such a server says. */
const backends = process.env['KUBEBUILDER_ASSETS'] ? (['embedded', 'binaries'] as const) : (['embedded'] as const);

describe('what kube-apiserver v1.35.4 answered to some hundred requests', () => {
  it.each(backends)(
    'K-1 to K-8, K-10 to K-19, K-21: is what a control plane of backend "%s" answers, word for word, and tells in its watches',
    async (backend) => {
      await using controlPlane = await createControlPlane({ backend });
      const transcript = await readTranscript();
      // As it reads when it was written down.
      const facts = JSON.parse(JSON.stringify(await examine(controlPlane.config))) as typeof transcript;
      for (const [index, fact] of facts.entries()) expect(fact).toEqual(transcript[index]);
      expect(facts).toHaveLength(transcript.length);
    },
    DEADLINE,
  );
});
