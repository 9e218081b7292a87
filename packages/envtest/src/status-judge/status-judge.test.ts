import { describe, expect, it } from '@jest/globals';
import { createControlPlane } from '../create-control-plane.ts';
import { examineStatusCases, readStatusCases } from './judge.fixture.ts';

const DEADLINE = 120_000;

/** If kube-apiserver is available, the test also checks that the recorded errors still are those that it reports. */
const backends = process.env['KUBEBUILDER_ASSETS'] ? (['embedded', 'binaries'] as const) : (['embedded'] as const);

describe('the errors that kube-apiserver v1.35.4 reports about the status of built-in kinds', () => {
  it.each(backends)(
    'K-28: a control plane of backend "%s" reports the same errors in the same order',
    async (backend) => {
      await using controlPlane = await createControlPlane({ backend });
      const cases = await readStatusCases();
      const answers = await examineStatusCases(controlPlane.config, cases);
      const reported = cases.map((each, index) => ({ ...each, causes: answers[index] }));
      expect(reported).toEqual(cases);
    },
    DEADLINE,
  );
});
