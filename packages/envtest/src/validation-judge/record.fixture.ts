import { writeFile } from 'node:fs/promises';
import { createControlPlane } from '../create-control-plane.ts';
import { corpus, examineCases, readCases } from './judge.fixture.ts';

/**
 * Records the errors of kube-apiserver for the cases of the corpus. Run it again when the cases or the objects change:
 *
 *     KUBEBUILDER_ASSETS=… node --conditions=@mcr/source packages/envtest/src/validation-judge/record.fixture.ts
 */

await using controlPlane = await createControlPlane({ backend: 'binaries' });
const cases = await readCases();
const answers = await examineCases(controlPlane.config, cases);
const lines = cases.map((change, index) => JSON.stringify({ ...change, causes: answers[index] }));
await writeFile(corpus, `${lines.join('\n')}\n`);
