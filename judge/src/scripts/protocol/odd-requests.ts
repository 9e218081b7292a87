import type { Session } from '../session.ts';

const NS = 'namespaces/judge';
const MAPS = `/api/v1/${NS}/configmaps`;
const SERVICES = `/api/v1/${NS}/services`;
const EVENTS = `/apis/events.k8s.io/v1/${NS}/events`;
const LEASES = `/apis/coordination.k8s.io/v1/${NS}/leases`;
const JARS = '/apis/odd.example.com/v1/namespaces/judge/jars';
const OLD_JARS = JARS.replace('/v1/', '/v1beta1/');

/** A kind whose older version has no schema, so that it accepts what the newer one does not. */
export const jars = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'jars.odd.example.com' },
  spec: {
    group: 'odd.example.com',
    names: { plural: 'jars', kind: 'Jar' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { scale: { specReplicasPath: '.spec.count', statusReplicasPath: '.status.count' } },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  count: { type: 'integer', minimum: 0, default: 1 },
                  low: { type: 'integer' },
                  high: { type: 'integer' },
                  bytes: { type: 'string', format: 'byte' },
                  when: { type: 'string', format: 'date-time' },
                  open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  one: { type: 'object', properties: { a: { type: 'string' } } },
                  template: {
                    type: 'object',
                    'x-kubernetes-embedded-resource': true,
                    'x-kubernetes-preserve-unknown-fields': true,
                  },
                },
                'x-kubernetes-validations': [
                  { rule: '!has(self.low) || !has(self.high) || self.low <= self.high', message: 'low is above high' },
                ],
              },
              status: { type: 'object', properties: { count: { type: 'integer' } } },
            },
          },
        },
      },
      {
        name: 'v1beta1',
        served: true,
        storage: false,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

const jar = (name: string, spec: object = {}, more: object = {}): object => ({
  apiVersion: 'odd.example.com/v1',
  kind: 'Jar',
  metadata: { name },
  spec,
  ...more,
});

const old = (name: string, spec: object): object => jar(name, spec, { apiVersion: 'odd.example.com/v1beta1' });

const template = (metadata: object): object => ({ template: { apiVersion: 'v1', kind: 'Pod', metadata } });

/** Sends requests whose bodies and options few clients send. @param define resolves once the kind is served. */
export async function oddRequests(session: Session, define: (definition: object) => Promise<void>): Promise<void> {
  await define(jars);
  await bodies(session);
  await patches(session);
  await ofEvents(session);
  await options(session);
  await customIdentity(session);
  await olderVersion(session);
  await scales(session);
}

async function bodies(session: Session): Promise<void> {
  const twice = '"metadata":{"name":"twice","labels":{"a":"b"},"labels":{"c":"d"}},"data":{"x":"y"},"data":{"z":"w"}';
  await session.post(MAPS, `{${twice}}`);
  await session.post(LEASES, '{"metadata":{"name":"c","labels":5,"labels":{"a":"b"}}}');
  const containers = [{ name: 5, image: 'b', resources: { limits: { cpu: '' } } }];
  await session.post(`/api/v1/${NS}/pods?dryRun=All`, { metadata: { name: 'p', labels: 5 }, spec: { containers } });
  await session.post(`/apis/autoscaling/v2/${NS}/horizontalpodautoscalers`, {
    apiVersion: 'autoscaling/v2',
    kind: 'Status',
  });
  await session.post(MAPS, { apiVersion: '/a', kind: 'ConfigMap', metadata: { name: 'slash' } });
  await session.post(`${MAPS}?dryRun=All`, { metadata: { name: 'dry', resourceVersion: '', uid: '' } });
  await session.post(`/apis/rbac.authorization.k8s.io/v1/${NS}/roles`, { metadata: { name: 'r' }, rules: [] });
  await session.post(`/apis/policy/v1/${NS}/poddisruptionbudgets`, {
    metadata: { name: '%' },
    spec: { selector: { matchLabels: { app: '/a' } }, minAvailable: 1 },
  });
  await session.post(`/apis/policy/v1/${NS}/poddisruptionbudgets`, { metadata: { name: '%' }, spec: {} });
}

async function patches(session: Session): Promise<void> {
  await session.post(MAPS, { metadata: { name: 'patched' }, data: { a: 'b' } });
  for (const validation of ['Ignore', 'Warn']) {
    await session.patch('merge', `${MAPS}/patched?fieldValidation=${validation}`, { apiVersion: null });
    await session.patch('strategic', `${MAPS}/patched?fieldValidation=${validation}`, { apiVersion: null });
  }
  await session.patch('json', `${MAPS}/patched`, 'null');
  const long = 'x'.repeat(129);
  await session.patch('merge', `${MAPS}/patched?force=true&fieldManager=${long}`, {});
  await session.put(`${SERVICES}/by-status/status`, {
    metadata: { name: 'by-status' },
    spec: { ports: [{ port: 80 }] },
    status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } },
  });
  const service = { apiVersion: 'v1', kind: 'Service' };
  await session.patch('apply', `${SERVICES}/applied/status?fieldManager=one`, {
    ...service,
    metadata: { name: 'applied' },
    status: {},
  });
  await session.patch('apply', `${SERVICES}/applied/status?fieldManager=one`, {
    ...service,
    metadata: { name: 'applied' },
    status: { x: 1 },
  });
}

async function ofEvents(session: Session): Promise<void> {
  const event = {
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'example.com/judge',
    reportingInstance: 'judge-1',
    action: 'Starting',
    reason: 'Started',
    type: 'Normal',
    note: 'started',
  };
  await session.post(EVENTS, { ...event, apiVersion: 'v1', kind: 'Event', metadata: { name: 'e' } });
  const strict = `${EVENTS}?fieldValidation=Strict`;
  await session.post(strict, { ...event, apiVersion: 'v1', kind: 'Event', metadata: { name: 'e' } });
  await session.post(EVENTS, { ...event, metadata: { name: 'e', labels: { 'bad key!': 'x' } } });
  await session.post(`/api/v1/${NS}/events`, {});
  await session.post(EVENTS, { ...event, regarding: { namespace: 'judge' }, deprecatedCount: 1, series: {} });
  await session.put(`${EVENTS}/dry?dryRun=All`, {
    ...event,
    regarding: { namespace: 'judge' },
    metadata: { name: 'dry', resourceVersion: '5' },
  });
}

async function options(session: Session): Promise<void> {
  await session.get(`${MAPS}?fieldSelector=x&resourceVersion=0&resourceVersionMatch=Exact`);
  await session.get(`${MAPS}?labelSelector=%3D&resourceVersion=1&resourceVersionMatch=x`);
  await session.get(`${MAPS}?limit=1&fieldSelector=metadata.name%3Dpatched`);
  await session.get('/api/v1/namespaces/judge/finalize', { accept: 'x' });
}

async function customIdentity(session: Session): Promise<void> {
  await session.post(JARS, jar('a', { low: 2, high: 1 }, { kind: 'Pot' }));
  await session.post(JARS, jar('a', {}, { apiVersion: 'example.com/x', metadata: [] }));
  await session.post(JARS, jar('a', {}, { apiVersion: null }));
  await session.put(`${JARS}/a`, jar('a', {}, { kind: 'Pot' }));
  await session.post(JARS, jar('a', { bytes: ['x'] }));
  await session.post(JARS, jar('b', { when: 1e300 }));
  await session.post(JARS, jar('labels', template({ name: 'x', labels: {}, annotations: null, generateName: '' })));
  await session.patch('merge', `${JARS}/a`, { spec: { open: { a: [1, null, { b: null, c: [{ d: null }] }] } } });
}

async function olderVersion(session: Session): Promise<void> {
  await session.post(OLD_JARS, old('incomplete', { low: 2, high: 1 }));
  await session.patch('merge', `${JARS}/incomplete`, {});
  await session.patch('merge', `${JARS}/incomplete`, {});
  await session.post(OLD_JARS, old('mistyped', template({ name: 'x', labels: { a: ['b'] } })));
  await session.post(OLD_JARS, old('incomplete', template({ name: 'x', labels: { a: ['b'] } })));
  await session.patch('apply', `${OLD_JARS}/untyped?fieldManager=one`, old('untyped', { one: 'x', count: 1 }));
  await session.patch('apply', `${JARS}/untyped?fieldManager=one`, jar('untyped', { low: 1 }));
  await session.patch('merge', `${JARS}/untyped`, { metadata: { labels: { a: 'b' } } });
}

async function scales(session: Session): Promise<void> {
  await session.post(JARS, jar('scaled'));
  const scale = `${JARS}/scaled/scale`;
  const sent = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'scaled' } };
  await session.put(scale, { ...sent, spec: { replicas: -1 } });
  await session.put(`${scale}?fieldValidation=Strict`, { ...sent, x: 1 });
  await session.patch('merge', scale, { x: 1, spec: { y: 1 } });
  await session.patch('merge', scale, { metadata: { name: 'other' } });
  await session.patch('merge', `${scale}?fieldValidation=Ignore`, { apiVersion: null });
  await session.patch('merge', scale, '{');
}
