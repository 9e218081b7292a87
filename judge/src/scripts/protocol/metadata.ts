import type { Session } from '../session.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const SERVICES = '/api/v1/namespaces/default/services';

/** Returns a reference to a ConfigMap that does not exist. */
type Reference = (fields?: object) => object;

/** Owners and finalizers of new objects. */
const created = (reference: Reference, other: string): readonly object[] => [
  { ownerReferences: [reference({ kind: 'Event' })] },
  { ownerReferences: [reference({ kind: 'Event', apiVersion: 'events.k8s.io/v1', controller: true })] },
  ...['a/b/c', '/', 'a/', '/v1'].map((apiVersion) => ({ ownerReferences: [reference({ apiVersion })] })),
  { ownerReferences: [reference(), reference()] },
  { ownerReferences: [reference(), reference({ controller: true }), reference(), reference({ uid: other })] },
  { ownerReferences: ['a', 'b', 'c'].map((uid) => reference({ uid, controller: true })) },
  { finalizers: ['foregroundDeletion', 'orphan', 'x.y/z'] },
];

/** Metadata that a write cannot change. */
const changed = (reference: Reference): readonly object[] => [
  { deletionTimestamp: '2020-01-01T00:00:00Z' },
  { deletionGracePeriodSeconds: 5 },
  { deletionGracePeriodSeconds: 0 },
  { uid: 'x' },
  { selfLink: '/x' },
  { creationTimestamp: '2020-01-01T00:00:00Z' },
  { generation: 77 },
  { ownerReferences: [reference(), reference()] },
];

const added = { name: 'd', image: 'i' };
const operations = [
  { op: 'add', path: '/spec/containers/-1', value: added },
  { op: 'add', path: '/spec/containers/-3', value: added },
  { op: 'test', path: '/spec/containers/-1/name', value: 'c' },
  { op: 'replace', path: '/spec/containers/-1/image', value: 'z' },
  { op: 'add', path: '/spec/containers/01', value: added },
  { op: 'add', path: '/spec/containers/+1', value: added },
  ...[5, [], 'x', null, true, {}],
  { op: 5, path: '/a' },
  { op: 'add', path: 5 },
  { op: 'move', path: '/a', from: {} },
];

/** Writes metadata that a server refuses or changes, and patches that it cannot decode. */
export async function metadata(session: Session): Promise<void> {
  // The uids of owners are known before, so that their numbers do not depend on the order of the fields.
  const [uid, other] = [await uidOf(session, 'default'), await uidOf(session, 'kube-system')];
  const reference: Reference = (fields = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid, ...fields });
  for (const fields of created(reference, other)) {
    await session.post(`${CONFIG_MAPS}?dryRun=All`, { metadata: { name: 'owned', ...fields } });
  }
  const { metadata: live, ...rest } = await session.post(CONFIG_MAPS, {
    metadata: { name: 'fixed' },
    data: { a: 'b' },
  });
  const pod = { metadata: { name: 'fixed' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  await session.post(PODS, pod);
  for (const fields of changed(reference)) {
    await session.patch('merge', `${CONFIG_MAPS}/fixed?dryRun=All`, { metadata: fields });
    await session.patch('merge', `${PODS}/fixed?dryRun=All`, { metadata: fields });
    const named = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'fixed', ...fields } };
    await session.patch('apply', `${CONFIG_MAPS}/fixed?dryRun=All&fieldManager=m`, named);
    if (!('uid' in fields))
      await session.put(`${CONFIG_MAPS}/fixed?dryRun=All`, { ...rest, metadata: { ...live, ...fields } });
  }
  for (const operation of operations) await session.patch('json', `${PODS}/fixed?dryRun=All`, [operation]);
  for (const type of ['merge', 'strategic'] as const) {
    for (const query of ['', '&fieldValidation=Ignore']) {
      for (const patch of [{ apiVersion: null, kind: null }, { kind: null }, { apiVersion: '' }]) {
        await session.patch(type, `${CONFIG_MAPS}/fixed?dryRun=All${query}`, patch);
      }
    }
  }
  await session.delete(`${PODS}/fixed?dryRun=All`);
  await session.delete(`${PODS}/fixed`);
  await deletionPolicies(session);
}

/** Deletes objects with one policy after another. The finalizer `x.y/z` keeps them in the meantime. */
async function deletionPolicies(session: Session): Promise<void> {
  const finalizers = ['x.y/z'];
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  const objects = [
    [PODS, { spec }],
    [PODS, { spec: { ...spec, nodeName: 'n' } }],
    [SERVICES, { spec: { clusterIP: 'None', ports: [{ port: 80 }] } }],
    [CONFIG_MAPS, {}],
  ] as const;
  const policies = ['Background', 'Orphan', 'Background'];
  for (const [path, object] of objects) {
    await session.post(path, { metadata: { name: 'deleted', finalizers }, ...object });
    for (const policy of policies) await session.delete(`${path}/deleted?dryRun=All&propagationPolicy=${policy}`);
    await session.delete(`${path}/deleted?gracePeriodSeconds=0`);
    await session.patch('merge', `${path}/deleted`, { metadata: { finalizers: null } });
  }
}

async function uidOf(session: Session, namespace: string): Promise<string> {
  return (await session.get(`/api/v1/namespaces/${namespace}`)).metadata.uid;
}
