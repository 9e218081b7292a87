import { writeFile } from 'node:fs/promises';
import { createControlPlane } from '../create-control-plane.ts';
import { corpus, examineStatusCases, readStatusCases } from './judge.fixture.ts';

/**
 * Records the errors of kube-apiserver for the cases of the corpus. Run it again when the cases or the objects change:
 *
 *     KUBEBUILDER_ASSETS=… node --conditions=@mcr/source packages/envtest/src/status-judge/record.fixture.ts
 */

await using controlPlane = await createControlPlane({ backend: 'binaries' });
const cases = await readStatusCases();
const answers = await examineStatusCases(controlPlane.config, cases);
const lines = cases.map((each, index) => JSON.stringify({ ...each, causes: answers[index] }));
await writeFile(corpus, `${lines.join('\n')}\n`);
