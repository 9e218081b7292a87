import { createControlPlane } from '../create-control-plane.ts';
import { examine } from './judge.fixture.ts';
import { writeTranscript } from './transcript.fixture.ts';

/**
 * Records the responses of kube-apiserver to the script. Run it again when the script changes:
 *
 *     KUBEBUILDER_ASSETS=… node --conditions=@mcr/source packages/envtest/src/judge/record.fixture.ts
 */

await using controlPlane = await createControlPlane({ backend: 'binaries' });
await writeTranscript(await examine(controlPlane.config));
