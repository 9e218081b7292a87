import type { Session } from '../session.ts';

const POLICIES = '/apis/networking.k8s.io/v1/namespaces/judge/networkpolicies';
const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const INGRESSES = '/apis/networking.k8s.io/v1/namespaces/judge/ingresses';

const policy = (spec: object): object => ({ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', spec });

const OBJECTS: readonly (readonly [collection: string, object: object])[] = [
  [POLICIES, policy({ podSelector: {} })],
  [POLICIES, policy({ podSelector: {}, ingress: [] })],
  [POLICIES, policy({ podSelector: {}, ingress: [{ from: [], ports: [] }] })],
  [POLICIES, policy({ podSelector: {}, egress: [{ to: [] }], policyTypes: ['Egress'] })],
  [POLICIES, policy({ podSelector: { matchLabels: {}, matchExpressions: [] } })],
  [HOOKS, { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration', webhooks: [] }],
  [
    INGRESSES,
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      spec: { rules: [], tls: [], defaultBackend: { resource: { kind: 'A', name: 'a' } } },
    },
  ],
];

/** Writes objects with empty lists, which some kinds count as changes of absent ones. */
export async function generations(session: Session): Promise<void> {
  for (const [index, [collection, fields]] of OBJECTS.entries()) {
    const name = `empty-${index}`;
    const object = { ...fields, metadata: { name } };
    const path = `${collection}/${name}`;
    await session.post(`${collection}?fieldManager=post`, object);
    const { metadata } = await session.get(path);
    await session.put(`${path}?fieldManager=post`, { ...object, metadata });
    await session.put(`${path}?fieldManager=post`, await session.get(path));
    await session.patch('merge', `${path}?fieldManager=post`, { metadata: { labels: { a: 'b' } } });
    await session.patch('merge', `${path}?fieldManager=post`, fields);
    await session.patch('strategic', `${path}?fieldManager=post`, fields);
    await session.patch('apply', `${path}?fieldManager=apply&force=true`, object);
    await session.patch('apply', `${path}?fieldManager=apply&force=true`, object);
    await session.get(path);
  }
}
