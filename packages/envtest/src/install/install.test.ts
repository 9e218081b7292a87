import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient, defineKind } from '@mcr/client';
import { stringify } from 'yaml';
import type { ControlPlane } from '../control-plane.ts';
import { createControlPlane } from '../create-control-plane.ts';
import { isUnsupportedOperation } from '../unsupported-operation-error.ts';

const definition = (plural: string, kind: string, schema: object = { type: 'object' }) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.shop.example` },
  spec: {
    group: 'shop.example',
    names: { plural, kind },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
});

const webhook = (name: string, clientConfig: object) => ({
  name,
  clientConfig,
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: [{ apiGroups: ['nobody.example'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['things'] }],
});

const CONFIGURATIONS = [
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'mutating' },
    webhooks: [webhook('a.shop.example', { service: { namespace: 'system', name: 'webhooks', path: '/mutate' } })],
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'validating' },
    webhooks: [
      webhook('b.shop.example', { service: { namespace: 'system', name: 'webhooks' } }),
      webhook('c.shop.example', { url: 'https://elsewhere.example/validate' }),
    ],
  },
];

interface Configuration {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly webhooks: readonly { readonly clientConfig: { readonly url?: string; readonly caBundle?: string } }[];
}
const Mutating = defineKind<Configuration>({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
});
const Validating = defineKind<Configuration>({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
});

const documents = (objects: readonly object[]): string => objects.map((object) => stringify(object)).join('---\n');

describe('installing files', () => {
  let directory: string;
  let controlPlane: ControlPlane;
  let kubeconfig: string;

  const write = async (name: string, text: string): Promise<string> => {
    const path = join(directory, name);
    await writeFile(path, text);
    return path;
  };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-install-'));
    await mkdir(join(directory, 'crds'));
    // Kustomize needs no kind in this file.
    await write('crds/kustomization.yaml', 'resources: [a.yaml]\n');
    // Kubebuilder writes such a file, without a kind.
    await write('crds/kustomizeconfig.yaml', 'nameReference:\n  - kind: Service\n    version: v1\n');
    await write('crds/readme.txt', 'not a manifest');
    const others = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'beside' } }];
    const yaml = documents([definition('apples', 'Apple'), ...others, definition('pears', 'Pear')]);
    await write('crds/fruit.yaml', `# Fruit\n---\n${yaml}---\n# The end\n`);
    const list = { apiVersion: 'v1', kind: 'List', items: [definition('nuts', 'Nut')] };
    const json = await write('nuts.json', JSON.stringify(list));
    const manifests = await write('webhooks.yaml', documents(CONFIGURATIONS));
    controlPlane = await createControlPlane({
      backend: 'embedded',
      crdPaths: [join(directory, 'crds'), json],
      webhooks: { paths: [manifests] },
    });
    kubeconfig = await write('kubeconfig', controlPlane.kubeconfig);
  });
  afterAll(async () => {
    await controlPlane.stop();
    await rm(directory, { recursive: true });
  });

  it('K-31: serves the kinds of files and directories with one or several documents', async () => {
    await using client = createClient(controlPlane.config);
    for (const kind of ['Apple', 'Pear', 'Nut']) {
      const { items } = await client.list(defineKind({ apiVersion: 'shop.example/v1', kind }));
      expect(items).toEqual([]);
    }
  });

  it.each([
    ['is empty', '', 'no CustomResourceDefinition found'],
    ['is not YAML', 'a: [', 'not valid YAML'],
    ['is not JSON', '{"a": ', 'not valid YAML: Flow map must end with a }'],
    [
      'has an old version',
      documents([{ ...definition('figs', 'Fig'), apiVersion: 'apiextensions.k8s.io/v1beta1' }]),
      'apiextensions.k8s.io/v1beta1 is not served since Kubernetes v1.22: use apiextensions.k8s.io/v1',
    ],
    [
      'has a bad item in a List',
      documents([{ apiVersion: 'v1', kind: 'List', items: [{ kind: 'CustomResourceDefinition' }] }]),
      'bad.yaml, item 1: apiVersion is missing',
    ],
    ['is a list', '- a', 'expected an object: a manifest needs apiVersion, kind and metadata.name'],
    [
      'has no name',
      documents([definition('figs', 'Fig'), { ...definition('x', 'X'), metadata: undefined }]),
      'document 2: metadata is missing',
    ],
    [
      'has a name twice',
      documents([definition('figs', 'Fig'), definition('figs', 'Fig')]),
      'document 2: CustomResourceDefinition figs',
    ],
    ['is refused', documents([definition('figs', 'Fig'), definition('x', 'X', { type: 'nonsense' })]), 'crdPaths: '],
  ])('K-31: names the path and the document of a file that %s', async (_, text, message) => {
    const path = await write('bad.yaml', text);
    const starting = createControlPlane({ existing: true, kubeconfig, crdPaths: [path] });
    await expect(starting).rejects.toThrow(message);
    await expect(starting).rejects.toThrow(path);
  });

  it('K-31: names a path that does not exist', async () => {
    const options = { backend: 'embedded', crdPaths: ['/none'] } as const;
    await expect(createControlPlane(options)).rejects.toThrow('crdPaths: /none: no such file or directory');
    await expect(createControlPlane({ backend: 'embedded', webhooks: { paths: [] } })).rejects.toThrow(
      'option "webhooks.paths": expected at least one file or directory, found none: name one, or remove the option "webhooks"',
    );
    const webhooks = { paths: [join(directory, 'nuts.json')] };
    await expect(createControlPlane({ backend: 'embedded', webhooks })).rejects.toThrow(
      'no MutatingWebhookConfiguration or ValidatingWebhookConfiguration found',
    );
  });

  it('K-31: rewrites the Service of a webhook to a local address with a certificate', async () => {
    const { webhooks } = controlPlane;
    if (!webhooks) throw new Error('expected webhooks');
    const { host, port, certDir, caCertificate } = webhooks;
    await using client = createClient(controlPlane.config);
    const mutating = await client.get(Mutating, { name: 'mutating' });
    const caBundle = Buffer.from(caCertificate).toString('base64');
    expect(mutating.webhooks.map(({ clientConfig }) => clientConfig)).toEqual([
      { url: `https://${host}:${port}/mutate`, caBundle },
    ]);
    const validating = await client.get(Validating, { name: 'validating' });
    expect(validating.webhooks.map(({ clientConfig }) => clientConfig)).toEqual([
      { url: `https://${host}:${port}/`, caBundle },
      { url: 'https://elsewhere.example/validate', caBundle },
    ]);
    const certificate = new X509Certificate(await readFile(join(certDir, 'tls.crt')));
    const authority = new X509Certificate(await readFile(join(certDir, 'ca.crt')));
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
  });

  it('K-31: uses the address and the directory of the options, and deletes only temporary directories', async () => {
    const certDir = join(directory, 'certificates');
    const paths = [join(directory, 'webhooks.yaml')];
    const webhooks = { paths, host: 'webhooks.test', port: 9443, certDir };
    const other = await createControlPlane({ existing: true, kubeconfig, webhooks });
    expect(other.webhooks).toMatchObject({ host: 'webhooks.test', port: 9443, certDir });
    await other.stop();
    const certificate = new X509Certificate(await readFile(join(certDir, 'tls.crt')));
    expect(certificate.checkHost('webhooks.test')).toBe('webhooks.test');

    const temporary = await createControlPlane({ existing: true, kubeconfig, webhooks: { paths } });
    const { certDir: created = '' } = temporary.webhooks ?? {};
    expect(existsSync(created)).toBe(true);
    await temporary.stop();
    expect(existsSync(created)).toBe(false);
  });

  it('K-31: names the option of a directory of certificates that cannot be written', async () => {
    const certDir = await write('file', '');
    const webhooks = { paths: [join(directory, 'webhooks.yaml')], certDir };
    await expect(createControlPlane({ existing: true, kubeconfig, webhooks })).rejects.toThrow(
      `webhooks.certDir: EEXIST: file already exists, mkdir '${certDir}': use another directory`,
    );
  });

  it('K-31: installs into an existing cluster, does not stop it, and refuses faults', async () => {
    const crd = await write('plums.yaml', stringify(definition('plums', 'Plum')));
    const existing = await createControlPlane({ existing: true, kubeconfig, crdPaths: [crd, join(directory, 'crds')] });
    expect(isUnsupportedOperation(await existing.suspend().catch((error: unknown) => error))).toBe(true);
    await expect(existing.issueToken()).rejects.toThrow('do not support issueToken()');
    expect(existing.kubeconfig).toContain(controlPlane.config.server);
    await existing.stop();
    await using client = createClient(controlPlane.config);
    expect((await client.list(defineKind({ apiVersion: 'shop.example/v1', kind: 'Plum' }))).items).toEqual([]);
  });

  it('K-31: refuses options that an existing cluster does not have, and the reverse', async () => {
    await expect(createControlPlane({ existing: true, port: 1 })).rejects.toThrow(
      'an existing cluster does not support the option "port": remove it',
    );
    await expect(createControlPlane({ context: 'a' })).rejects.toThrow('the option "context" needs "existing: true"');
    await expect(createControlPlane({ existing: true, kubeconfig, context: 'none' })).rejects.toThrow('none');
  });
});
