import { createControlPlane } from '../create-control-plane.ts';
import { writeAnswers } from '../judge/answers.fixture.ts';
import { examineKinds } from './judge.fixture.ts';

/**
 * Records the responses of kube-apiserver to the script. Run it again when the script changes:
 *
 *     KUBEBUILDER_ASSETS=… node --conditions=@mcr/source packages/envtest/src/kinds-judge/record.fixture.ts
 */

await using controlPlane = await createControlPlane({ backend: 'binaries' });
await writeAnswers(new URL('answers.ndjson', import.meta.url), await examineKinds(controlPlane.config));
