import { describe, expect, it } from '@jest/globals';
import { createControlPlane } from '../create-control-plane.ts';
import { readAnswers } from '../judge/answers.fixture.ts';
import { examineAdmission } from './judge.fixture.ts';

const DEADLINE = 120_000;

/** If kube-apiserver is available, the test also checks that the recorded responses still match it. */
const backends = process.env['KUBEBUILDER_ASSETS'] ? (['embedded', 'binaries'] as const) : (['embedded'] as const);

describe('the responses of kube-apiserver v1.35.4 with webhooks and policies', () => {
  it.each(backends)(
    'K-26, K-27: a control plane of backend "%s" sends the same reviews and returns the same responses',
    async (backend) => {
      await using controlPlane = await createControlPlane({ backend });
      const answers = await readAnswers(new URL('answers.ndjson', import.meta.url));
      const facts = await examineAdmission(controlPlane.config);
      for (const [index, fact] of facts.entries()) expect(fact).toEqual(answers[index]);
      expect(facts).toHaveLength(answers.length);
    },
    DEADLINE,
  );
});
