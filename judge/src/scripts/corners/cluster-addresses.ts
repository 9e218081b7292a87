import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from '../session.ts';

const SERVICES = '/api/v1/namespaces/judge/services';
const ADDRESSES = '/apis/networking.k8s.io/v1/ipaddresses';

/**
 * Age of a Service before it gets an address, in milliseconds. The controller of kube-apiserver that repairs addresses
 * deletes an IPAddress of a Service without the address, if both were created in the same second.
 */
const AGE = 1_100;

const service = (name: string, spec: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...spec },
});

const withAddress = (name: string, host: number | string, spec: object = {}): object =>
  service(name, { clusterIP: `10.0.0.${host}`, ...spec });

const external = { type: 'ExternalName', externalName: 'x.example.com', clusterIP: null, clusterIPs: null };

const claim = (host: number): object => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IPAddress',
  metadata: { name: `10.0.0.${host}` },
  spec: { parentRef: { group: 'example.com', resource: 'things', name: 'x' } },
});

/**
 * Sends writes of Services, and reads the IPAddresses that the server stores for them. All Services choose their address:
 * that of a server is random.
 */
export async function clusterAddresses(session: Session): Promise<void> {
  await session.get(`${ADDRESSES}/10.0.0.1`);
  await session.get('/apis/networking.k8s.io/v1/servicecidrs/kubernetes');
  await session.watch(`${ADDRESSES}?watch=true&resourceVersion=0`);
  await creates(session);
  await sleep(AGE);
  await changesOfType(session);
  await deletes(session);
  await session.get(ADDRESSES);
  await session.post(ADDRESSES, claim(99));
  await session.drain('10.0.0.99');
}

async function creates(session: Session): Promise<void> {
  await session.post(SERVICES, withAddress('a', 10));
  await session.get(`${ADDRESSES}/10.0.0.10`);
  await session.get(`${ADDRESSES}/10.0.0.10`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
  await session.post(SERVICES, withAddress('b', 10));
  await session.post(SERVICES, withAddress('a', 11));
  for (const name of ['INVALID', 'in/valid', 'in%valid', '..', '']) await session.post(SERVICES, withAddress(name, 11));
  await session.post(SERVICES, { ...withAddress('', 11), metadata: { generateName: 'generated-' } });
  await session.get(`${ADDRESSES}/10.0.0.11`);
  await session.post(ADDRESSES, claim(12));
  await session.post(SERVICES, withAddress('c', 12));
  await session.post(SERVICES, withAddress('c', '012'));
  await session.post(SERVICES, service('c', { clusterIP: '::ffff:10.0.0.12' }));
  await session.post(`${SERVICES}?dryRun=All`, withAddress('c', 12));
  await session.post(`${SERVICES}?dryRun=All`, withAddress('c', 13));
  await session.get(`${ADDRESSES}/10.0.0.13`);
  await session.post(SERVICES, service('headless', { clusterIP: 'None' }));
  await session.post(SERVICES, withAddress('preferring', 4, { ipFamilyPolicy: 'PreferDualStack' }));
  await session.put(`${SERVICES}/put`, withAddress('put', 5));
  await session.get(`${ADDRESSES}/10.0.0.5`);
  const apply = (name: string, host: number, part = ''): Promise<unknown> =>
    session.patch('apply', `${SERVICES}/${name}${part}?fieldManager=one`, withAddress(name, host));
  await apply('applied', 6);
  await apply('late', 6);
  await apply('by-status', 7, '/status');
  await session.get(`${ADDRESSES}/10.0.0.7`);
}

async function changesOfType(session: Session): Promise<void> {
  const patch = (name: string, spec: object, query = ''): Promise<unknown> =>
    session.patch('merge', `${SERVICES}/${name}${query}`, { spec });
  const internal = (address: string): object => ({
    type: 'ClusterIP',
    externalName: null,
    clusterIP: address,
    clusterIPs: [address],
  });
  await patch('a', external, '?dryRun=All');
  await session.get(`${ADDRESSES}/10.0.0.10`);
  await patch('a', external);
  await session.get(`${ADDRESSES}/10.0.0.10`);
  await patch('a', internal('10.0.0.12'));
  await patch('a', internal('10.0.0.14'));
  await session.get(`${ADDRESSES}/10.0.0.14`);
  await patch('a', internal('10.0.0.15'));
  await session.get(`${ADDRESSES}/10.0.0.15`);
  await patch('headless', external);
  await patch('headless', internal('10.0.0.16'));
  await session.get(`${ADDRESSES}/10.0.0.16`);
  await patch('preferring', external);
  await session.get(`${ADDRESSES}/10.0.0.4`);
}

async function deletes(session: Session): Promise<void> {
  const finalizers = (path: string, value: readonly string[] | null): Promise<unknown> =>
    session.patch('merge', path, { metadata: { finalizers: value } });
  const hold = ['example.com/hold'];
  await finalizers(`${SERVICES}/put`, hold);
  await session.delete(`${SERVICES}/put`);
  await session.get(`${ADDRESSES}/10.0.0.5`);
  await finalizers(`${SERVICES}/put`, null);
  await session.get(`${ADDRESSES}/10.0.0.5`);
  await finalizers(`${ADDRESSES}/10.0.0.14`, hold);
  await session.delete(`${SERVICES}/a?dryRun=All`);
  await session.get(`${ADDRESSES}/10.0.0.14`);
  await session.delete(`${SERVICES}/a`);
  await session.get(`${ADDRESSES}/10.0.0.14`);
  await session.post(SERVICES, withAddress('again', 14));
  await finalizers(`${ADDRESSES}/10.0.0.14`, null);
  await session.post(SERVICES, withAddress('again', 14));
  await session.delete(SERVICES);
}
