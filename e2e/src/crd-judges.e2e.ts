import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readManifests } from '@mcr/apiserver/manifests';
import { createClient, defineKind, type KubernetesObject } from '@mcr/client';
import { type ControlPlane, createControlPlane } from '@mcr/envtest';
import {
  definitionsOf,
  PROJECTS,
  type PublishedProject,
} from '../../packages/apiserver/src/definitions/published-definitions.fixture.ts';
import { runMcr } from '../../packages/cli/src/command/mcr-program.ts';

/** Time to start the servers and to install all definitions on a busy machine, in milliseconds. */
const START_TIMEOUT = 5 * 60_000;

/** It downloads modules of Go, and takes minutes with kube-apiserver. */
const isRequested = process.env['MCR_JUDGES'] === '1';

/** The embedded API server, and kube-apiserver where its binaries are. */
const backends = process.env['KUBEBUILDER_ASSETS'] ? (['embedded', 'binaries'] as const) : (['embedded'] as const);

interface Example extends PublishedProject {
  readonly resource: { readonly apiVersion: string; readonly kind: string; readonly plural: string };
  readonly spec: object;
}

const reference = { apiGroup: 'example.com', kind: 'Example', name: 'example' };

/** A namespaced kind of each project, and the `spec` of an object that its users would write. */
const EXAMPLES: readonly Example[] = [
  {
    ...PROJECTS.argoCd,
    resource: { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', plural: 'applications' },
    spec: {
      project: 'default',
      source: { repoURL: 'https://example.com/shop.git', path: 'deploy', targetRevision: 'main' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
      syncPolicy: { automated: { prune: true } },
    },
  },
  {
    ...PROJECTS.certManager,
    resource: { apiVersion: 'cert-manager.io/v1', kind: 'Certificate', plural: 'certificates' },
    spec: { secretName: 'shop-tls', dnsNames: ['shop.example.com'], issuerRef: { name: 'ca' }, duration: '24h' },
  },
  {
    ...PROJECTS.clusterApi,
    resource: { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', plural: 'clusters' },
    spec: {
      clusterNetwork: { pods: { cidrBlocks: ['10.0.0.0/16'] } },
      infrastructureRef: reference,
      controlPlaneRef: reference,
    },
  },
  {
    ...PROJECTS.crossplane,
    resource: { apiVersion: 'protection.crossplane.io/v1beta1', kind: 'Usage', plural: 'usages' },
    spec: {
      of: { apiVersion: 'v1', kind: 'ConfigMap', resourceRef: { name: 'settings' } },
      reason: 'The shop reads it.',
    },
  },
  {
    ...PROJECTS.gatewayApi,
    resource: { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', plural: 'httproutes' },
    spec: { parentRefs: [{ name: 'web' }], rules: [{ backendRefs: [{ name: 'shop', port: 80 }] }] },
  },
  {
    ...PROJECTS.kueue,
    resource: { apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'Workload', plural: 'workloads' },
    spec: {
      queueName: 'batch',
      podSets: [{ name: 'main', count: 2, template: { spec: { containers: [{ name: 'main', image: 'batch:v1' }] } } }],
    },
  },
  {
    ...PROJECTS.leaderWorkerSet,
    resource: { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet', plural: 'leaderworkersets' },
    spec: {
      replicas: 2,
      leaderWorkerTemplate: {
        size: 3,
        workerTemplate: {
          spec: { containers: [{ name: 'main', image: 'serve:v1', resources: { limits: { cpu: 2 } } }] },
        },
      },
    },
  },
];

const directories = new Map<Example, string>();
if (isRequested) {
  await Promise.all(
    EXAMPLES.map(async (example) => {
      const directory = await definitionsOf(example);
      if (directory !== undefined) directories.set(example, directory);
    }),
  );
}

(isRequested ? describe : describe.skip)('definitions of well-known projects', () => {
  const planes: ControlPlane[] = [];
  let output: string;

  beforeAll(async () => {
    output = await mkdtemp(join(tmpdir(), 'mcr-crd-judges-'));
    for (const backend of backends) {
      // It resolves when every definition is established.
      const plane = await createControlPlane({ backend, name: backend, crdPaths: [...directories.values()] });
      planes.push(plane);
      await writeFile(join(output, backend), plane.kubeconfig, { mode: 0o600 });
    }
  }, START_TIMEOUT);
  afterAll(async () => {
    await Promise.all(planes.map((plane) => plane.stop()));
    await rm(output, { recursive: true, force: true });
  });

  /** Runs `mcr types`. @returns its output, and the exit code. */
  async function types(...args: string[]): Promise<string> {
    let text = '';
    const print = (part: string): void => void (text += part);
    const { signal } = new AbortController();
    const status = await runMcr(['types', ...args], { print, warn: print, signal });
    return `${text}exit code ${status}\n`;
  }

  describe.each(EXAMPLES)('$name', (example) => {
    const directory = directories.get(example) ?? '';
    const test = directory === '' ? it.skip : it;

    test('KS-6: mcr types writes the same modules from servers as from the files', async () => {
      const modules = join(output, example.name);
      const written = await types('--crd', directory, '--out', modules);
      expect(written).toMatch(/exit code 0\n$/);
      const names = (await readManifests([directory], '--crd', ['CustomResourceDefinition'])).flatMap(({ object }) => [
        '--only',
        object.metadata.name,
      ]);
      const count = written.split('\n').filter((line) => line.startsWith('created ')).length;
      for (const backend of backends) {
        const source = ['--kubeconfig', join(output, backend), '--context', backend, ...names];
        const checked = await types(...source, '--out', modules, '--check');
        expect([backend, checked]).toEqual([
          backend,
          expect.stringMatching(new RegExp(`^(?:warning: .*\n)*${count} modules are up to date\nexit code 0\n$`)),
        ]);
      }
    });

    test('K-26: servers accept an object, and store the same defaults', async () => {
      const { resource, spec } = example;
      const kind = defineKind<KubernetesObject & { spec?: object }>(resource);
      const stored: object[] = [];
      for (const plane of planes) {
        await using client = createClient(plane.config);
        const created = await client.create(kind, { metadata: { name: 'example', namespace: 'default' }, spec });
        stored.push(created.spec ?? {});
        expect(created.spec).toMatchObject(spec);
      }
      for (const each of stored) expect(each).toEqual(stored[0]);
    });
  });
});
