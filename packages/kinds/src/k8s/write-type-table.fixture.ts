// Writes type-table.ts from the OpenAPI document of a kube-apiserver:
//
//   KUBEBUILDER_ASSETS=DIR node --conditions=@mcr/source packages/kinds/src/k8s/write-type-table.fixture.ts
import { writeFileSync } from 'node:fs';
import { createTransport } from '@mcr/client';
import { createControlPlane } from '@mcr/envtest';
import { type OpenApi, typeTableOf } from './open-api-table.fixture.ts';

const controlPlane = await createControlPlane({ backend: 'binaries' });
const transport = createTransport(controlPlane.config);
try {
  const response = await transport.send({ method: 'GET', path: '/openapi/v3/apis/batch/v1' });
  const table = typeTableOf(JSON.parse(Buffer.from(await response.bytes()).toString()) as OpenApi);
  const entries = Object.entries(table).map(
    ([name, fields]) => `  ${JSON.stringify(name)}: ${JSON.stringify(fields)},\n`,
  );
  const text = `import type { TypeTable } from './notation.ts';

/**
 * The types of Pod and Job templates in Kubernetes 1.35, in the notation of {@link TypeTable}. Written by
 * write-type-table.fixture.ts from the OpenAPI document of kube-apiserver.
 */
export const TYPE_TABLE: TypeTable = {
${entries.join('')}};
`;
  writeFileSync(new URL('type-table.ts', import.meta.url), text);
} finally {
  await transport.close();
  await controlPlane.stop();
}
