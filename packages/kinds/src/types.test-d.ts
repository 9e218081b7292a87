/* Uses of the package that must compile, and uses that must not. Compiled by `tsc`, never run. */
import type { Client, KubernetesObject } from '@mcr/client';
import { ConfigMap, defineKind as declareKind } from '@mcr/client';
import { z } from 'zod';
import { crdOf, defineKind, defineKindVersions, type InputOf, k8s, newObject, type ObjectOf } from './index.ts';
import { Backup } from './backup.fixture.ts';

const key = { namespace: 'shop', name: 'cart' };

/** Objects have defaults when they are read, and may lack them when they are written. */
export async function objects(client: Client): Promise<void> {
  const backup = await client.get(Backup, key);
  const replicas: number = backup.spec.replicas;
  const ready: number | undefined = backup.status?.readyReplicas;
  const image: string | undefined = backup.spec.template?.spec?.containers[0]?.image;
  const input: InputOf<typeof Backup> = { metadata: key, spec: { schedule: '* * * * *' } };
  await client.create(Backup, newObject(Backup, input));
  await client.apply(Backup, {
    metadata: { name: 'cart' },
    spec: { schedule: image ?? String(replicas + (ready ?? 0)) },
  });
  const object: ObjectOf<typeof ConfigMap> = await client.create(ConfigMap, { metadata: key });
  void object;
  crdOf(Backup);

  // @ts-expect-error -- schedule is required
  newObject(Backup, { metadata: key, spec: {} });
  // @ts-expect-error -- replicas is a number
  newObject(Backup, { metadata: key, spec: { schedule: '', replicas: 'two' } });
  // @ts-expect-error -- the enum has no such value
  newObject(Backup, { metadata: key, spec: { schedule: '', tier: 'bronze' } });
  // @ts-expect-error -- a third-party kind has no schema to take defaults from
  newObject(ConfigMap, { metadata: key });
  // @ts-expect-error -- there is no such field
  void backup.spec.colour;
  // @ts-expect-error -- objects that are read may have no status
  void backup.status.readyReplicas;
}

interface Widget extends KubernetesObject {
  spec: { size: number };
}
export const Widget = declareKind<Widget>({ apiVersion: 'example.com/v1', kind: 'Widget' });
export const widget: ObjectOf<typeof Widget>['spec'] = { size: 1 };

const names = { apiVersion: 'example.com/v1', kind: 'Thing', plural: 'things', scope: 'Cluster' } as const;
const spec = z.object({
  count: z.int32(),
  name: z.string(),
  tags: z.array(z.object({ key: z.string() })),
  any: k8s.raw(),
});
const status = z.object({ ready: z.int32().optional(), labels: z.record(z.string(), z.string()).optional() });

/** Paths are checked against the schemas. */
export function paths(): void {
  defineKind({
    ...names,
    spec,
    status,
    printerColumns: [
      { name: 'Count', jsonPath: '.spec.count' },
      { name: 'Key', jsonPath: '.spec.tags[0].key' },
      { name: 'Label', jsonPath: ".status.labels['app.kubernetes.io/name']" },
      { name: 'Escaped', jsonPath: '.metadata.labels.app\\.kubernetes\\.io/name' },
      { name: 'Raw', jsonPath: '.spec.any.deep', type: 'string' },
    ],
    scale: { specReplicasPath: '.spec.count', statusReplicasPath: '.status.ready' },
    selectableFields: ['.spec.name', '.spec.count'],
  });
  const base = { ...names, spec, status };
  const ready = '.status.ready' as const;
  // @ts-expect-error -- the schema has no such field
  defineKind({ ...base, printerColumns: [{ name: 'Size', jsonPath: '.spec.size' }] });
  // @ts-expect-error -- an object is not a list
  defineKind({ ...base, printerColumns: [{ name: 'Size', jsonPath: '.spec[0]' }] });
  const column = { name: 'Name', jsonPath: '.spec.name' } as const;
  // @ts-expect-error -- the second path is wrong
  defineKind({ ...base, printerColumns: [column, { name: 'B', jsonPath: '.spec.b' }] });
  // @ts-expect-error -- a string is not a number of replicas
  defineKind({ ...base, scale: { specReplicasPath: '.spec.name', statusReplicasPath: ready } });
  // @ts-expect-error -- there is no such number of replicas
  defineKind({ ...base, scale: { specReplicasPath: '.spec.count', statusReplicasPath: '.status.count' } });
  // @ts-expect-error -- a list cannot be selected by
  defineKind({ ...base, selectableFields: ['.spec.tags'] });
  // @ts-expect-error -- the scope is required
  defineKind({ apiVersion: 'example.com/v1', kind: 'Thing', plural: 'things', spec });
  // @ts-expect-error -- there is no such option
  defineKind({ ...names, spec, schema: status });
  // @ts-expect-error -- a schema is not a type
  defineKind({ ...names, spec: { count: 1 } });
}

/** A generated kind can declare a `spec` that its definition does not require. */
export function assumedSpec(object: ObjectOf<typeof Assumed>): number {
  // @ts-expect-error -- the spec is declared
  newObject(Assumed, { metadata: key });
  return object.spec.size;
}
const Assumed = defineKind({ ...names, spec: k8s.typed<Widget['spec']>(z.object({ size: z.number() }).optional()) });

/** Metadata for Kubernetes has types. */
export function metadata(): void {
  z.string().meta({ description: 'A name.', label: 'Name' });
  z.object({}).meta(k8s.cel({ rule: 'true' }));
  z.array(z.string()).meta({ 'x-kubernetes-list-type': 'set' });
  // @ts-expect-error -- there is no such type of list
  z.array(z.string()).meta({ 'x-kubernetes-list-type': 'bag' });
  // @ts-expect-error -- a rule has an expression
  k8s.cel({ message: 'wrong' });
}

/** Converters have the types of their versions. */
export function versions(): void {
  const v1 = defineKind({ ...names, apiVersion: 'example.com/v1', spec: z.object({ a: z.string() }) });
  const v2 = defineKind({ ...names, apiVersion: 'example.com/v2', spec: z.object({ b: z.string() }) });
  const up = ({ spec: { a } }: ObjectOf<typeof v1>) => ({ spec: { b: a } });
  const down = ({ spec: { b } }: ObjectOf<typeof v2>) => ({ spec: { a: b } });
  defineKindVersions({ storage: v2, served: [v1], convert: { v1: { up, down } } });
  defineKindVersions({
    storage: v2,
    served: [v1],
    convert: { v1: { up: ({ spec }) => ({ spec: { b: spec.a } }), down: ({ spec }) => ({ spec: { a: spec.b } }) } },
  });
  // @ts-expect-error -- the converters of v1 are missing
  defineKindVersions({ storage: v2, served: [v1], convert: {} });
  // @ts-expect-error -- the directions are reversed
  defineKindVersions({ storage: v2, served: [v1], convert: { v1: { up: down, down: up } } });
  // @ts-expect-error -- a third-party kind has no schema
  defineKindVersions({ storage: ConfigMap, served: [], convert: {} });
}
