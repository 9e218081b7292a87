import type { Step } from '../session.ts';
import { collection, get, patch, post, remove } from './step.ts';

const containers = [{ name: 'main', image: 'nginx:1' }];
const labels = { app: 'web' };
const pods = collection('Pod');

const status = (kind: string, name: string, body: object): Step => ({
  method: 'PATCH',
  path: `${collection(kind)}/${name}/status`,
  body,
  type: 'merge',
});

const binding = (name: string, target: object): Step => ({
  method: 'POST',
  path: `${pods}/${name}/binding`,
  body: { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target },
});

/** Lifecycles, generations and subresources. Runs after the creations. */
export const semantics: readonly Step[] = [
  post('Pod', 'bound', { spec: { containers, terminationGracePeriodSeconds: 20 } }, { labels }),
  binding('bound', { kind: 'Node' }),
  binding('bound', { kind: 'Pod', name: 'n1' }),
  binding('bound', { kind: 'Node', name: 'n1' }),
  binding('bound', { kind: 'Node', name: 'n2' }),
  binding('gated', { kind: 'Node', name: 'n2' }),
  binding('absent', { kind: 'Node', name: 'n2' }),
  get('Pod', 'bound'),
  { method: 'GET', path: `${pods}?fieldSelector=spec.nodeName%3Dn1` },
  { method: 'GET', path: `${pods}/minimal/log` },
  { method: 'GET', path: `${pods}/bound/log` },
  { method: 'GET', path: `${pods}/full/log` },
  { method: 'GET', path: `${pods}/full/log?container=x` },
  remove('Pod', 'bound', { gracePeriodSeconds: -1 }),
  remove('Pod', 'bound'),
  remove('Pod', 'bound', { gracePeriodSeconds: 25 }),
  remove('Pod', 'bound', { gracePeriodSeconds: 5 }),
  binding('bound', { kind: 'Node', name: 'n2' }),
  remove('Pod', 'bound', { gracePeriodSeconds: 0 }),
  get('Pod', 'bound'),
  remove('Pod', 'gated'),
  get('Pod', 'gated'),
  status('Pod', 'minimal', {
    metadata: { labels: { by: 'status' }, ownerReferences: [{ apiVersion: 'v1', kind: 'A', name: 'a', uid: 'a' }] },
    spec: { activeDeadlineSeconds: 5 },
    status: { phase: 'Running', podIP: '10.1.1.1', podIPs: [{ ip: '10.1.1.1' }] },
  }),
  { method: 'GET', path: `${pods}?fieldSelector=status.phase%3DPending` },
  { method: 'GET', path: `${pods}?fieldSelector=spec.restartPolicy%3DNever` },
  { method: 'GET', path: `${pods}?fieldSelector=spec.hostNetwork%3Dtrue` },
  { method: 'GET', path: `${pods}?fieldSelector=spec.other%3Dtrue` },
  { method: 'GET', path: `${collection('Deployment')}?fieldSelector=status.phase%3Dx` },
  { method: 'GET', path: `${collection('Job')}?fieldSelector=status.successful%3D0` },
  { method: 'GET', path: `${collection('ReplicaSet')}?fieldSelector=status.replicas%3D0` },
  { method: 'GET', path: `${collection('Node')}?fieldSelector=spec.unschedulable%3Dfalse` },
  patch('Pod', 'minimal', { spec: { activeDeadlineSeconds: 100 } }),
  patch('Pod', 'minimal', { spec: { containers: [{ name: 'main', image: 'nginx:2' }] } }, 'strategic'),
  patch('Pod', 'minimal', { metadata: { labels: { other: 'label' } } }),
  patch('Pod', 'minimal', { spec: { nodeName: 'n1' } }),
  patch('Pod', 'minimal', { spec: { terminationGracePeriodSeconds: 1 } }),
  patch('Deployment', 'minimal', { metadata: { annotations: { a: 'b' } } }),
  patch('Deployment', 'minimal', { metadata: { labels: { a: 'b' } } }),
  patch('Deployment', 'minimal', { spec: { replicas: 5 } }),
  status('Deployment', 'minimal', {
    metadata: { labels: { by: 'status' }, annotations: { by: 'status' } },
    status: { replicas: 5, observedGeneration: 3 },
  }),
  patch('Deployment', 'minimal', { spec: { selector: { matchLabels: { a: 'b' } } } }),
  patch('StatefulSet', 'minimal', { spec: { serviceName: 'other' } }),
  patch('StatefulSet', 'minimal', { spec: { replicas: 2 } }),
  patch('Job', 'minimal', { spec: { completions: 4 } }),
  patch('Job', 'minimal', { spec: { parallelism: 0 } }),
  patch('PriorityClass', 'high', { value: 5 }),
  patch('PriorityClass', 'high', { description: 'text' }),
  patch('Service', 'minimal', { spec: { clusterIP: '10.0.0.77' } }),
  patch('Service', 'minimal', { spec: { ports: [{ port: 81, targetPort: 80 }] } }),
  patch('PersistentVolumeClaim', 'minimal', { spec: { accessModes: ['ReadOnlyMany'] } }),
  patch('Namespace', 'minimal', { spec: { finalizers: [] } }),
  { method: 'DELETE', path: '/api/v1/namespaces/default' },
  { method: 'DELETE', path: '/api/v1/namespaces' },
  remove('Service', 'node-port'),
  remove('ConfigMap', 'minimal'),
  remove('PersistentVolumeClaim', 'minimal'),
  remove('Deployment', 'recreate', { propagationPolicy: 'Background' }),
  patch('Lease', 'minimal', { spec: { holderIdentity: 'b', leaseTransitions: 1 } }),
  { method: 'GET', path: `${collection('Deployment')}/minimal/scale` },
  { method: 'GET', path: `${collection('ReplicationController')}/minimal/scale` },
  { method: 'GET', path: '/apis/nothing.example.com/v1/things' },
];
