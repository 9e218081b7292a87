import type { ApiClient } from '@mcr/client';
import { createClient } from '@mcr/client';
import { createControlPlane, type ObjectManifest } from '@mcr/envtest';
import type { CrdManifest } from './index.ts';

const hasBinaries = process.env['KUBEBUILDER_ASSETS'] !== undefined;

/** The API servers of this machine: kube-apiserver only where `$KUBEBUILDER_ASSETS` has it. */
export const backends: readonly ('embedded' | 'binaries')[] = hasBinaries ? ['embedded', 'binaries'] : ['embedded'];

/** An API server that serves CustomResourceDefinitions. */
export interface TestServer {
  readonly client: ApiClient;
  stop(): Promise<void>;
}

/** Starts an API server. Rejects if it refuses a definition. */
export async function startServer(
  backend: 'embedded' | 'binaries',
  definitions: readonly CrdManifest[],
): Promise<TestServer> {
  // A manifest has fields of any kind.
  const crds = definitions as unknown as readonly ObjectManifest[];
  const controlPlane = await createControlPlane({ backend, crds });
  const client = createClient(controlPlane.config);
  const stop = async () => {
    await client.close();
    await controlPlane.stop();
  };
  return { client, stop };
}
