import type { Session } from '../session.ts';

const NS = '/api/v1/namespaces/judge';
const MAPS = `${NS}/configmaps`;
const DEPLOYMENTS = '/apis/apps/v1/namespaces/judge/deployments';

const map = (name: string, data: object = {}, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});

const container = { name: 'main', image: 'nginx', ports: [{ containerPort: 80 }] };
const deployment = (name: string, spec: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [container] } },
    ...spec,
  },
});

/** Sends reads and writes of built-in kinds. */
export async function readsAndWrites(session: Session): Promise<void> {
  await session.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'judge' } });
  await session.watch(`${MAPS}?watch=true&resourceVersion=0`);
  await session.watch(`${MAPS}?watch=true&resourceVersion=0&labelSelector=tier%3Dgold`);
  await creates(session);
  await updates(session);
  await patches(session);
  await losesItsManagers(session);
  await lists(session);
  await representations(session);
  await deletes(session);
  await workloads(session);
  await refusals(session);
  await session.post(MAPS, map('last', {}, { labels: { tier: 'gold' } }));
  await session.drain('last');
}

async function creates(session: Session): Promise<void> {
  await session.post(MAPS, map('a', { k: '1' }, { labels: { tier: 'gold' }, annotations: { note: 'x' } }));
  await session.post(MAPS, map('a'));
  await session.post(MAPS, map('Not A Name'));
  await session.post(MAPS, map(''));
  await session.post(MAPS, { ...map('x'), metadata: { generateName: 'generated-' } });
  await session.post(MAPS, map('b', {}, { namespace: 'other' }));
  await session.post(MAPS, map('b', {}, { labels: { 'bad key!': 'x' } }));
  await session.post(MAPS, map('b', { 'bad key!': 'x' }));
  await session.post(MAPS, map('b', { k: 5 }));
  await session.post(MAPS, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'b' } });
  await session.post(MAPS, { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'b' } });
  await session.post(MAPS, { metadata: { name: 'untyped' } });
  await session.post('/api/v1/namespaces/nowhere/configmaps', map('a'));
  await session.post(`${MAPS}?dryRun=All`, map('dry', { k: '1' }));
  await session.post(`${MAPS}?dryRun=Some`, map('dry'));
  await session.get(`${MAPS}/dry`);
  await session.post(`${MAPS}?fieldValidation=Strict`, { ...map('strict'), unknown: 1, spec: { x: 1 } });
  await session.post(`${MAPS}?fieldValidation=Warn`, { ...map('warn'), unknown: 1 });
  await session.post(`${MAPS}?fieldValidation=Maybe`, map('maybe'));
  await session.post(`${MAPS}?fieldManager=me`, map('managed', { k: '1' }));
  await session.post(`${NS}/secrets`, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's' },
    stringData: { user: 'jane' },
    data: { pass: 'c2VjcmV0' },
  });
  await session.post(`${NS}/secrets`, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 't' },
    data: { pass: 'not base64!' },
  });
  await session.post(`${NS}/serviceaccounts`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'robot' },
  });
}

async function updates(session: Session): Promise<void> {
  const { metadata } = await session.get(`${MAPS}/a`);
  await session.put(`${MAPS}/a`, map('a', { k: '2' }, { resourceVersion: metadata.resourceVersion }));
  await session.put(`${MAPS}/a`, map('a', { k: '3' }, { resourceVersion: metadata.resourceVersion }));
  await session.put(`${MAPS}/a`, map('a', { k: '4' }, { labels: { tier: 'gold' } }));
  await session.put(`${MAPS}/a`, map('a', { k: '4' }, { labels: { tier: 'gold' } }));
  await session.put(`${MAPS}/a`, map('other', {}));
  await session.put(`${MAPS}/a`, map('a', {}, { uid: '00000000-0000-0000-0000-000000000000' }));
  await session.put(`${MAPS}/missing`, map('missing'));
  await session.put(`${MAPS}/a`, map('a', {}, { namespace: 'other' }));
  await session.put(`${MAPS}/a?dryRun=All`, map('a', { k: 'dry' }));
  await session.put(`${MAPS}/a`, { ...map('a', { k: '5' }), immutable: true });
  await session.put(`${MAPS}/a`, { ...map('a', { k: '6' }), immutable: true });
  await session.put(`${MAPS}/a`, map('a', { k: '5' }));
  await session.put(NS, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'judge', labels: { team: 'x' } } });
}

async function patches(session: Session): Promise<void> {
  await session.post(MAPS, map('p', { k: '1', l: '2' }));
  await session.patch('merge', `${MAPS}/p`, { data: { k: null, m: '3' } });
  await session.patch('merge', `${MAPS}/p`, { data: { m: '3' } });
  await session.patch('merge', `${MAPS}/p`, { metadata: { name: 'q' } });
  await session.patch('merge', `${MAPS}/p`, { metadata: { labels: { tier: 'gold' } } });
  await session.patch('merge', `${MAPS}/p`, { metadata: { resourceVersion: '1' } });
  await session.patch('json', `${MAPS}/p`, [{ op: 'replace', path: '/data/m', value: '4' }]);
  await session.patch('json', `${MAPS}/p`, [{ op: 'test', path: '/data/m', value: 'no' }]);
  await session.patch('json', `${MAPS}/p`, [{ op: 'remove', path: '/data/none' }]);
  await session.patch('json', `${MAPS}/p`, [{ op: 'frobnicate', path: '/data/m' }]);
  await session.patch('json', `${MAPS}/p`, { not: 'a list' });
  await session.patch('strategic', `${MAPS}/p`, { data: { $patch: 'replace', z: '1' } });
  await session.patch('merge', `${MAPS}/missing`, { data: {} });
  const apply = (query: string, body: unknown) => session.patch('apply', `${MAPS}/applied${query}`, body);
  await apply('?fieldManager=one', map('applied', { a: '1', b: '1' }));
  await apply('?fieldManager=one', map('applied', { a: '1', b: '1' }));
  await apply('?fieldManager=two', map('applied', { a: '2' }));
  await apply('?fieldManager=two', map('applied', { a: '2', b: '2' }));
  await apply('?fieldManager=two&force=true', map('applied', { a: '2' }));
  await apply('?fieldManager=one', map('applied', { b: '1' }));
  await apply('?fieldManager=one', map('applied'));
  await apply('', map('applied'));
  await apply('?fieldManager=one', map('other'));
  await apply('?fieldManager=one', map('applied', {}, { managedFields: [{ manager: 'x' }] }));
  await session.patch('merge', `${MAPS}/applied?fieldManager=three`, { data: { a: '3' } });
  await session.patch('merge', `${MAPS}/applied?force=true`, { data: { a: '3' } });
}

async function losesItsManagers(session: Session): Promise<void> {
  await session.post(MAPS, map('lost', { k: '1' }));
  await session.patch('merge', `${MAPS}/lost`, { metadata: { managedFields: [{}] } });
  await session.patch('merge', `${MAPS}/lost`, { data: { l: '2' } });
  await session.patch('apply', `${MAPS}/lost?fieldManager=one`, map('lost', { k: '2' }));
  await session.patch('apply', `${MAPS}/lost?fieldManager=one&force=true`, map('lost', { k: '2' }));
}

async function lists(session: Session): Promise<void> {
  await session.get(`${MAPS}?labelSelector=tier%3Dgold`);
  await session.get(`${MAPS}?labelSelector=tier%20in%20(gold,silver),!nope`);
  await session.get(`${MAPS}?fieldSelector=metadata.name%3Da`);
  await session.get(`${MAPS}?fieldSelector=data.k%3Da`);
  const page = await session.get(`${MAPS}?limit=2`);
  await session.get(`${MAPS}?limit=2&continue=${encodeURIComponent(page.metadata.continue)}`);
  await session.get(`${MAPS}?limit=2&continue=${encodeURIComponent(page.metadata.continue)}&resourceVersion=1`);
  await session.get(`${MAPS}?limit=1&labelSelector=tier%3Dgold`);
  await session.get(`${MAPS}?limit=-1`);
  await session.get(`${MAPS}?limit=many`);
  await session.get(`${MAPS}?resourceVersionMatch=Exact`);
  await session.get(`${MAPS}?resourceVersionMatch=Exact&resourceVersion=0`);
  await session.get(`${MAPS}?resourceVersionMatch=Nearly&resourceVersion=1`);
  await session.get(`${MAPS}?resourceVersion=abc`);
  await session.get(`${MAPS}?resourceVersion=0&labelSelector=tier%3Dgold`);
  await session.get('/api/v1/namespaces/nowhere/configmaps');
  await session.get(`${MAPS}?watch=true&sendInitialEvents=true`);
  await session.get(`${MAPS}?watch=true&resourceVersionMatch=NotOlderThan`);
  await session.get(`${MAPS}?watch=true&resourceVersion=0&timeoutSeconds=1&fieldSelector=metadata.name%3Da`);
  await session.get(
    `${MAPS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1&fieldSelector=metadata.name%3Dnone`,
  );
}

async function representations(session: Session): Promise<void> {
  const accept = (text: string) => ({ accept: `application/json;${text}` });
  const table = accept('as=Table;v=v1;g=meta.k8s.io');
  await session.get(`${MAPS}/p`, table);
  await session.get(`${MAPS}?labelSelector=tier%3Dgold`, table);
  await session.get(`${MAPS}/p?includeObject=None`, table);
  await session.get(`${NS}/secrets/s?includeObject=Object`, table);
  await session.get(`${MAPS}/missing`, table);
  await session.get(NS, table);
  await session.get(`${MAPS}/p`, accept('as=PartialObjectMetadata;v=v1;g=meta.k8s.io'));
  await session.get(`${MAPS}?labelSelector=tier%3Dgold`, accept('as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'));
}

async function deletes(session: Session): Promise<void> {
  await session.delete(`${MAPS}/managed?dryRun=All`);
  await session.delete(`${MAPS}/managed`);
  await session.delete(`${MAPS}/managed`);
  await session.delete(`${MAPS}/p`, { preconditions: { uid: '00000000-0000-0000-0000-000000000000' } });
  await session.delete(`${MAPS}/p`, { propagationPolicy: 'Sideways' });
  await session.delete(`${MAPS}/p`, { orphanDependents: true, propagationPolicy: 'Orphan' });
  await session.post(MAPS, map('held', {}, { finalizers: ['example.com/hold'] }));
  await session.delete(`${MAPS}/held`);
  await session.delete(`${MAPS}/held`);
  await session.patch('merge', `${MAPS}/held`, { data: { still: 'here' } });
  await session.patch('merge', `${MAPS}/held`, { metadata: { finalizers: null } });
  await session.get(`${MAPS}/held`);
  await session.post(MAPS, map('bad-finalizer', {}, { finalizers: ['hold'] }));
  await session.post(MAPS, map('many', {}, { labels: { group: 'many' } }));
  await session.delete(`${MAPS}?labelSelector=group%3Dmany`);
  await session.delete(`${MAPS}?fieldSelector=data.x%3Dy`);
}

async function workloads(session: Session): Promise<void> {
  await session.post(DEPLOYMENTS, deployment('bad', { replicas: 'two' }));
  await session.post(`/apis/coordination.k8s.io/v1/namespaces/judge/leases`, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'leader' },
    spec: { holderIdentity: 'x', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' },
  });
}

async function refusals(session: Session): Promise<void> {
  await session.get('/api/v1/frobs');
  await session.get('/apis/nope.example.com/v1/things');
  await session.get('/nope');
  await session.get(`${MAPS}/a/status`);
  await session.ask('POST', `${MAPS}/a`, { body: {}, headers: { 'content-type': 'application/json' } });
  await session.ask('PUT', MAPS, { body: {}, headers: { 'content-type': 'application/json' } });
  const jane = { 'impersonate-user': 'jane' };
  await session.get(MAPS, jane);
  await session.get(`${MAPS}/a`, jane);
  await session.get('/api/v1/nodes', jane);
  await session.get('/apis/apps/v1/deployments', jane);
  await session.get('/metrics', jane);
  await session.ask('PATCH', `${DEPLOYMENTS}/app/scale`, {
    body: '{}',
    headers: { ...jane, 'content-type': 'application/merge-patch+json' },
  });
  await session.get(MAPS, { ...jane, 'impersonate-group': 'system:masters' });
}
