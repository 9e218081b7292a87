import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { createControlPlane } from '../control-plane.fixture.ts';
import { RawClient } from '../raw-client.fixture.ts';
import { definitionsOf, PROJECTS } from './published-definitions.fixture.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Manifest {
  readonly kind?: string;
  readonly metadata: { readonly name: string };
}

function manifestsIn(directory: string): Manifest[] {
  return globSync(`${directory}/*.yaml`)
    .flatMap((file) =>
      parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS() as Manifest | null),
    )
    .filter((manifest) => manifest?.kind === 'CustomResourceDefinition') as Manifest[];
}

/* `crd-judges` of the whole-fleet tests has more projects, and kube-apiserver. */
describe('published definitions', () => {
  it.each([PROJECTS.gatewayApi, PROJECTS.certManager, PROJECTS.clusterApi])(
    'K-26: accepts the definitions of $name and compiles their rules',
    async (project) => {
      const directory = await definitionsOf(project);
      if (directory === undefined) return;
      const definitions = manifestsIn(directory);
      expect(definitions.length).toBeGreaterThan(0);
      await using plane = await createControlPlane();
      using client = new RawClient(plane.config);
      for (const definition of definitions) {
        const { status, body } = await client.post(CRDS, definition);
        expect([definition.metadata.name, status, body.message]).toEqual([definition.metadata.name, 201, undefined]);
      }
    },
  );
});
