import type { Session } from '../session.ts';

const pod = { spec: { containers: [{ name: 'a', image: 'b' }] } };

/** Sends writes to a namespace that is being deleted, and to one that does not exist. */
export async function terminatingNamespaces(session: Session): Promise<void> {
  const hold = ['example.com/hold'];
  await session.post('/api/v1/namespaces', { metadata: { name: 'leaving' } });
  // A Pod that stays keeps the namespace.
  await session.post('/api/v1/namespaces/leaving/pods', { ...pod, metadata: { name: 'held', finalizers: hold } });
  await session.delete('/api/v1/namespaces/leaving');
  for (const namespace of ['leaving', 'absent']) await writes(session, `/api/v1/namespaces/${namespace}`);
}

async function writes(session: Session, namespace: string): Promise<void> {
  for (const metadata of [{ name: 'x' }, { generateName: 'some-' }, {}]) {
    await session.post(`${namespace}/configmaps`, { metadata });
    await session.post(`${namespace}/configmaps?dryRun=All`, { metadata });
  }
  await session.patch('apply', `${namespace}/configmaps/x?fieldManager=a`, { apiVersion: 'v1', kind: 'ConfigMap' });
  for (const name of ['held', 'x']) {
    const metadata = { name };
    const path = `${namespace}/pods/${name}`;
    await session.post(`${path}/eviction?dryRun=All`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata });
    await session.post(`${path}/binding`, { apiVersion: 'v1', kind: 'Binding', metadata, target: { name: 'y' } });
  }
  await session.post(`${namespace}/serviceaccounts/x/token`, {});
}
