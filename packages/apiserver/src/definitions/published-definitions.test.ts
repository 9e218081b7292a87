import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { createControlPlane } from '../control-plane.fixture.ts';
import { RawClient } from '../raw-client.fixture.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Go modules whose definitions kube-apiserver v1.35 accepts, and where they are. */
const MODULES = [
  { module: 'sigs.k8s.io/gateway-api@v1.4.0', files: 'config/crd/experimental/*.yaml' },
  { module: 'github.com/cert-manager/cert-manager@v1.19.1', files: 'deploy/crds/*.yaml' },
  { module: 'sigs.k8s.io/cluster-api@v1.11.3', files: 'config/crd/bases/*.yaml' },
];

/** Downloads a module into the cache of Go. Returns `undefined` if that is not possible here. */
function directoryOf(module: string): string | undefined {
  try {
    const output = execFileSync('go', ['mod', 'download', '-json', module], {
      encoding: 'utf8',
      timeout: 60_000,
      stdio: ['ignore', 'pipe', 'ignore'],
      cwd: '/',
    });
    return (JSON.parse(output) as { Dir: string }).Dir;
  } catch {
    return undefined;
  }
}

interface Manifest {
  readonly kind?: string;
  readonly metadata: { readonly name: string };
}

function definitionsIn(directory: string, files: string): Manifest[] {
  return globSync(`${directory}/${files}`)
    .flatMap((file) =>
      parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS() as Manifest | null),
    )
    .filter((manifest) => manifest?.kind === 'CustomResourceDefinition') as Manifest[];
}

describe('published definitions', () => {
  it.each(MODULES)(
    'K-26: accepts the definitions of $module and compiles their rules',
    async ({ module, files }) => {
      const directory = directoryOf(module);
      if (directory === undefined) {
        process.stderr.write(`left out: the Go module ${module} cannot be downloaded\n`);
        return;
      }
      const definitions = definitionsIn(directory, files);
      expect(definitions.length).toBeGreaterThan(0);
      await using plane = await createControlPlane();
      using client = new RawClient(plane.config);
      for (const definition of definitions) {
        const { status, body } = await client.post(CRDS, definition);
        expect([definition.metadata.name, status, body.message]).toEqual([definition.metadata.name, 201, undefined]);
      }
    },
    120_000,
  );
});
