import type { Session } from '../session.ts';

type Version = 'v1' | 'v2' | 'v3';

const VERSIONS: readonly Version[] = ['v1', 'v2', 'v3'];

const text = { type: 'string' };
const number = { type: 'integer' };
const object = (properties: object): object => ({ type: 'object', properties });

const list = (properties: object): object => ({
  type: 'array',
  items: { ...object({ name: text, ...properties }), required: ['name'] },
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
});

function version(name: Version, schema: object): object {
  const subresources = { status: {}, scale: { specReplicasPath: '.spec.count', statusReplicasPath: '.status.count' } };
  return { name, served: true, storage: name === 'v1', subresources, schema: { openAPIV3Schema: schema } };
}

/** A kind whose versions declare different fields. The third one declares none, and keeps all. */
export const cups = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'cups.versions.example.com' },
  spec: {
    group: 'versions.example.com',
    names: { plural: 'cups', kind: 'Cup' },
    scope: 'Namespaced',
    versions: [
      version(
        'v1',
        object({
          spec: object({
            both: text,
            first: text,
            grade: { ...text, default: 'a' },
            count: number,
            items: list({ first: text }),
          }),
          status: object({ both: text, first: text, count: number }),
        }),
      ),
      version(
        'v2',
        object({
          spec: object({
            both: text,
            second: text,
            color: { ...text, default: 'red' },
            count: number,
            items: list({ second: text }),
          }),
          status: object({ both: text, second: text, count: number }),
        }),
      ),
      version('v3', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
    ],
  },
};

const path = (v: Version, name = ''): string =>
  `/apis/versions.example.com/${v}/namespaces/judge/cups${name && `/${name}`}`;

export const cupPaths = VERSIONS.map((v) => path(v));

const cup = (v: Version, name: string, spec?: object, more: object = {}): object => ({
  apiVersion: `versions.example.com/${v}`,
  kind: 'Cup',
  metadata: { name },
  spec,
  ...more,
});

const SPEC = {
  both: 'b',
  first: '1',
  second: '2',
  third: '3',
  count: 2,
  items: [{ name: 'a', first: '1', second: '2' }],
};

/** A write of an object through a version. */
type Write = (session: Session, v: Version, name: string) => Promise<unknown>;

const patch =
  (body: object, part = '', query = ''): Write =>
  (session, v, name) =>
    session.patch('merge', `${path(v, name)}${part}?fieldManager=patch-${v}${query}`, body);

const apply =
  (spec: object, query = ''): Write =>
  (session, v, name) =>
    session.patch('apply', `${path(v, name)}?fieldManager=apply${query}`, cup(v, name, spec));

const replace =
  (part = '', changes: object = {}): Write =>
  async (session, v, name) => {
    const read = await session.get(`${path(v, name)}${part}`);
    return await session.put(`${path(v, name)}${part}?fieldManager=put-${v}`, { ...read, ...changes });
  };

const remove =
  (query = ''): Write =>
  (session, v, name) =>
    session.delete(`${path(v, name)}${query}`);

/** Deletes an object, and then sends a write that removes its last finalizer. */
const release =
  (write: Write): Write =>
  async (session, v, name) => {
    await session.delete(path('v1', name));
    return await write(session, v, name);
  };

const WRITES: readonly Write[] = [
  patch({}),
  patch({ metadata: { labels: { a: 'b' } } }),
  patch({ spec: { both: 'c', first: 'x', second: 'y' } }),
  patch({ status: { both: 'c', first: 'x', second: 'y' } }, '/status'),
  patch({ status: { both: '1' } }, '/status'),
  patch({ spec: { replicas: 3 } }, '/scale'),
  patch({ spec: { replicas: 2 } }, '/scale'),
  replace(),
  replace('/status', { status: { both: 'd' } }),
  replace('/scale', { spec: { replicas: 5 } }),
  apply({ both: 'b' }),
  apply({ both: 'z', items: [{ name: 'a' }, { name: 'b' }] }, '&force=true'),
  remove(),
  remove('?dryRun=All'),
  ...['', '&dryRun=All'].flatMap((query) => [
    release(patch({ metadata: { finalizers: null } }, '', query)),
    release(patch({ metadata: { finalizers: null }, spec: { both: null, grade: null, third: 'y' } }, '', query)),
  ]),
  patch({ metadata: { finalizers: null, labels: { a: 'b' } }, status: { both: 'x' } }, '/status'),
];

/** Writes objects through versions that are not the stored one, without a conversion webhook. */
export async function versions(session: Session): Promise<void> {
  const read = async (name: string): Promise<void> => {
    for (const v of VERSIONS) await session.get(path(v, name));
  };
  for (const v of VERSIONS) {
    await session.post(path(v), cup(v, `by-${v}`, SPEC, { status: { both: 'x' } }));
    await read(`by-${v}`);
    for (const [index, write] of WRITES.entries()) {
      const name = `${v}-${index}`;
      const metadata = { name, finalizers: ['example.com/hold'] };
      await session.post(`${path('v1')}?fieldManager=creator`, cup('v1', name, SPEC, { metadata }));
      await patch({ status: { both: '1', first: '1' } }, '/status')(session, 'v1', name);
      await write(session, v, name);
      await read(name);
    }
  }
  await managers(session);
}

/** Applies configurations of managers in two versions. */
async function managers(session: Session): Promise<void> {
  const own = { v1: { first: '1' }, v2: { second: '2' }, v3: { first: '1', third: '3' } };
  for (const one of VERSIONS) {
    for (const other of VERSIONS.filter((v) => v !== one)) {
      const name = `${one}-then-${other}`;
      const send = (v: Version, manager: string, spec: object, query = ''): Promise<unknown> =>
        session.patch('apply', `${path(v, name)}?fieldManager=${manager}${query}`, cup(v, name, spec));
      await send(one, 'a', { both: 'b', ...own[one] });
      await send(other, 'a', { both: 'c' });
      await send(other, 'b', { both: 'd' });
      await send(other, 'b', { both: 'd', ...own[other] }, '&force=true');
      await session.patch('merge', `${path(other, name)}?fieldManager=c`, { spec: { both: 'e' } });
      await send(one, 'a', { both: 'e' });
      await session.patch('merge', `${path(one, name)}?fieldManager=d`, { spec: { both: null } });
      for (const v of VERSIONS) await session.get(path(v, name));
    }
  }
}
