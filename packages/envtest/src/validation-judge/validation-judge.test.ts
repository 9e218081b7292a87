import { describe, expect, it } from '@jest/globals';
import { createControlPlane } from '../create-control-plane.ts';
import { examineCases, readCases } from './judge.fixture.ts';

const DEADLINE = 120_000;

/** If kube-apiserver is available, the test also checks that the recorded errors still are those that it reports. */
const backends = process.env['KUBEBUILDER_ASSETS'] ? (['embedded', 'binaries'] as const) : (['embedded'] as const);

describe('the errors that kube-apiserver v1.35.4 reports about changes of single fields', () => {
  it.each(backends)(
    'K-20: a control plane of backend "%s" reports the same errors in the same order',
    async (backend) => {
      await using controlPlane = await createControlPlane({ backend });
      const cases = await readCases();
      const answers = await examineCases(controlPlane.config, cases);
      const reported = cases.map((change, index) => ({ ...change, causes: answers[index] }));
      expect(reported).toEqual(cases);
    },
    DEADLINE,
  );
});
