import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigMap, CustomResourceDefinition, draftOf, partialMetadata, Scale } from '@mcr/client';
import { z } from 'zod';
import { Backup } from '../backup.fixture.ts';
import { crdOf, defineKind, type InputOf, k8s, newObject } from '../index.ts';
import { backends, startServer, type TestServer } from '../servers.fixture.ts';

const Everything = defineKind({
  apiVersion: 'shop.example.com/v1alpha1',
  kind: 'Everything',
  plural: 'everythings',
  singular: 'thing',
  listKind: 'ThingList',
  scope: 'Cluster',
  deprecationWarning: 'shop.example.com/v1alpha1 Everything is deprecated',
  rules: [{ rule: 'self.metadata.name.startsWith("thing-")', message: 'the name begins with thing-' }],
  spec: z
    .object({
      job: k8s.jobTemplateSpec(),
      selector: k8s.labelSelector(),
      quantity: k8s.quantity(),
      timeout: k8s.duration(),
      deadline: k8s.time(),
      port: k8s.intOrString(),
      bytes: k8s.bytes(),
      raw: k8s.raw(),
      rawObject: k8s.rawObject(),
      embedded: k8s.embeddedObject(),
      zones: k8s.listSet(z.string()),
      limits: k8s.mapOf(k8s.quantity(), { max: 10 }),
      reference: k8s.objectReference(),
      secret: k8s.secretKeySelector(),
      tolerations: z.array(k8s.toleration()).max(5).meta(k8s.atomicList),
      source: z.discriminatedUnion('type', [
        z.object({ type: z.literal('git'), url: z.string().max(200) }),
        z.object({ type: z.literal('none') }),
      ]),
      mode: z.enum(['on', 'off']).nullable().default('on'),
    })
    .partial(),
});

const POD = { containers: [{ name: 'web', image: 'web:1', ports: [{ containerPort: 80 }] }] };
const STORED_POD = { containers: [{ name: 'web', image: 'web:1', ports: [{ containerPort: 80, protocol: 'TCP' }] }] };
const kinds = [Backup, Everything];

describe.each(backends)('KS-1: CustomResourceDefinitions on %s', (backend) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer(
      backend,
      kinds.map((kind) => crdOf(kind)),
    );
  });
  afterAll(() => server.stop());

  const create = (input: InputOf<typeof Backup>) =>
    server.client.create(Backup, newObject(Backup, input), { fieldValidation: 'Strict' });

  it('KS-1: accepts the definitions, and finds their schemas structural', async () => {
    for (const kind of kinds) {
      const found = await server.client.get(CustomResourceDefinition, { name: crdOf(kind).metadata.name });
      const conditions = found.status?.conditions ?? [];
      expect(conditions.filter(({ type }) => type === 'NonStructuralSchema')).toEqual([]);
      expect(conditions).toContainEqual(expect.objectContaining({ type: 'Established', status: 'True' }));
      expect(found.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.['spec']).toBeDefined();
    }
  });

  it('KS-1: keeps the approval that API servers require in groups of the Kubernetes community', async () => {
    const names = { apiVersion: 'tests.k8s.io/v1', kind: 'Approved', plural: 'approveds', scope: 'Cluster' } as const;
    const install = (approval?: string) =>
      server.client.create(CustomResourceDefinition, crdOf(defineKind({ ...names, ...(approval && { approval }) })));
    await expect(install()).rejects.toThrow('api-approved.kubernetes.io');
    const { metadata } = await install('unapproved, for a test');
    expect(metadata.annotations).toEqual({ 'api-approved.kubernetes.io': 'unapproved, for a test' });
  });

  it('KS-1: sets defaults, prunes unknown fields, and evaluates rules', async () => {
    const metadata = { namespace: 'default', name: 'defaults' };
    const spec = { schedule: 'daily', template: { spec: POD }, colour: 'red' };
    const object = { metadata, spec } as unknown as InputOf<typeof Backup>;
    const created = await server.client.create(Backup, object as never);
    expect(created.spec).toEqual({
      replicas: 1,
      schedule: 'daily',
      template: { spec: STORED_POD },
    });
    await expect(
      create({ metadata: { ...metadata, name: 'many' }, spec: { schedule: 'x', replicas: 101 } }),
    ).rejects.toThrow('at most 100 replicas');
    const wrong = {
      ...newObject(Backup, { metadata: { ...metadata, name: 'none' }, spec: { schedule: 'x' } }),
      spec: {},
    };
    await expect(server.client.patch(Backup, metadata, { spec: { schedule: null } }, 'merge')).rejects.toThrow(
      'spec.schedule',
    );
    await expect(server.client.create(Backup, wrong as never)).rejects.toThrow('spec.schedule');
  });

  it('KS-1: serves status, scale, columns and selectable fields', async () => {
    const key = { namespace: 'default', name: 'scaled' };
    const created = draftOf(await create({ metadata: key, spec: { schedule: 'weekly', replicas: 2 } }));
    created.status = {
      readyReplicas: 1,
      selector: 'app=shop',
      conditions: [
        { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-02T15:04:05Z', reason: 'Done', message: '' },
      ],
    };
    await server.client.status.update(Backup, created);
    const scale = await server.client.subresource('scale', Scale).get(Backup, key);
    expect(scale).toMatchObject({ spec: { replicas: 2 }, status: { replicas: 1, selector: 'app=shop' } });
    const { items } = await server.client.list(Backup, { namespace: 'default', fieldSelector: 'spec.schedule=weekly' });
    expect(items.map((backup) => backup.metadata.name)).toEqual(['scaled']);
    const crd = crdOf(Backup).spec.versions[0];
    expect(crd?.additionalPrinterColumns).toEqual([
      { name: 'Ready', jsonPath: '.status.readyReplicas', type: 'integer' },
      { name: 'State', jsonPath: '.status.conditions[?(@.type=="Ready")].status', type: 'string' },
      { name: 'Age', jsonPath: '.metadata.creationTimestamp', type: 'date' },
    ]);
  });

  it('KS-1: accepts a value of every schema of k8s', async () => {
    const spec: InputOf<typeof Everything>['spec'] = {
      job: { spec: { template: { metadata: { labels: { app: 'a' } }, spec: { ...POD, restartPolicy: 'Never' } } } },
      selector: { matchLabels: { app: 'a' }, matchExpressions: [{ key: 'b', operator: 'In', values: ['c'] }] },
      quantity: '1.5Gi',
      timeout: '1h30m',
      deadline: '2026-01-02T15:04:05+01:00',
      port: 80,
      bytes: 'aGk=',
      raw: [1, { any: null }],
      rawObject: { any: { thing: true } },
      embedded: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { b: 'c' } },
      zones: ['a', 'b'],
      limits: { cpu: 1, memory: '2Gi' },
      reference: { kind: 'Pod', name: 'a' },
      secret: { name: 'a', key: 'b' },
      tolerations: [{ key: 'a', operator: 'Exists' }],
      source: { type: 'git', url: 'https://example.com' },
    };
    const object = newObject(Everything, { metadata: { name: 'thing-1' }, spec });
    const created = await server.client.create(Everything, object, { fieldValidation: 'Strict' });
    const job = {
      spec: { template: { metadata: { labels: { app: 'a' } }, spec: { ...STORED_POD, restartPolicy: 'Never' } } },
    };
    expect(created.spec).toEqual({ ...spec, job, mode: 'on' });
    const cases: [wrong: object, message: string][] = [
      [{ zones: ['a', 'a'] }, 'Duplicate value'],
      [{ quantity: 'much' }, 'spec.quantity'],
      [{ timeout: '1 day' }, 'spec.timeout'],
      [{ source: { type: 'git', url: null } }, 'url is required if type is git'],
      [{ source: { type: 'none', url: 'a' } }, 'url is not allowed if type is none'],
      [{ embedded: { apiVersion: null } }, 'spec.embedded.apiVersion'],
      [{ mode: 'maybe' }, 'spec.mode'],
    ];
    for (const [wrong, message] of cases) {
      const patch = { spec: wrong };
      await expect(server.client.patch(Everything, { name: 'thing-1' }, patch, 'merge')).rejects.toThrow(message);
    }
    const other = newObject(Everything, { metadata: { name: 'other' }, spec: {} });
    await expect(server.client.create(Everything, other)).rejects.toThrow('the name begins with thing-');
  });
});

describe('KS-1: crdOf', () => {
  it('KS-1: names the definition and the resource', () => {
    expect(crdOf(Everything)).toMatchObject({
      metadata: { name: 'everythings.shop.example.com' },
      spec: {
        group: 'shop.example.com',
        scope: 'Cluster',
        names: { kind: 'Everything', listKind: 'ThingList', plural: 'everythings', singular: 'thing' },
        versions: [
          { name: 'v1alpha1', deprecated: true, deprecationWarning: expect.stringContaining('deprecated') as unknown },
        ],
      },
    });
    expect(crdOf(Backup).spec.names).toEqual({
      ...{ kind: 'Backup', listKind: 'BackupList', plural: 'backups', singular: 'backup' },
      ...{ shortNames: ['bk'], categories: ['shop'] },
    });
  });

  it('KS-1: returns a copy that the caller may change', () => {
    const first = crdOf(Backup);
    first.spec.versions[0]?.additionalPrinterColumns?.pop();
    if (first.spec.versions[0]?.schema?.openAPIV3Schema)
      delete first.spec.versions[0].schema.openAPIV3Schema.properties;
    expect(crdOf(Backup)).not.toEqual(first);
  });

  it('KS-1: has a template of Pods that is smaller than a fifth of the largest object', () => {
    expect(JSON.stringify(crdOf(Backup)).length).toBeLessThan(300_000);
  });

  it('KS-1: refuses a kind without a schema, and a value that is not a kind', () => {
    expect(() => crdOf(ConfigMap)).toThrow(
      'crdOf: v1 ConfigMap has no schema: define it with defineKind of @mcr/kinds',
    );
    expect(() => crdOf('Backup' as never)).toThrow('crdOf: expected a kind, found');
    expect(crdOf(partialMetadata(Backup))).toEqual(crdOf(Backup));
  });
});
