import { describe, expect, it } from '@jest/globals';
import { createClient } from '../client/create-client.ts';
import { ConfigMap, Deployment } from '../kinds/builtin.ts';
import { transportFixture } from '../transport/transport.fixture.ts';
import { requestInfo } from './request-info.ts';
import { RecordingTracer } from './recording-tracer.fixture.ts';
import { tracedTransport } from './traced-transport.ts';

describe('requestInfo', () => {
  it.each([
    ['GET', '/api/v1/pods', 'list pods'],
    ['GET', '/api/v1/pods?watch=true&allowWatchBookmarks=true', 'watch pods'],
    ['GET', '/api/v1/namespaces/shop/pods?limit=500', 'list pods in shop'],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Dcart', 'list pods named cart'],
    ['GET', '/api/v1/pods?watch=true&fieldSelector=a%3Db%2Cmetadata.name%3D%3Dcart', 'watch pods named cart'],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name%21%3Dcart', 'list pods'],
    ['GET', '/api/v1/namespaces/shop/pods/cart', 'get pods in shop named cart'],
    ['GET', '/apis/a.io/v1/carts/a%3Ab', 'get carts.a.io named a:b'],
    ['POST', '/api/v1/namespaces/shop/pods', 'create pods in shop'],
    ['POST', '/api/v1/namespaces/shop/pods/cart/eviction', 'create pods/eviction in shop named cart'],
    ['PUT', '/apis/apps/v1/namespaces/shop/deployments/cart', 'update deployments.apps in shop named cart'],
    ['PATCH', '/apis/apps/v1/namespaces/shop/deployments/a/status', 'patch deployments.apps/status in shop named a'],
    ['DELETE', '/api/v1/namespaces/shop/pods/cart', 'delete pods in shop named cart'],
    ['DELETE', '/api/v1/namespaces/shop/pods', 'deletecollection pods in shop'],
    ['DELETE', '/api/v1/namespaces/shop/pods?fieldSelector=metadata.name%3Da', 'deletecollection pods in shop'],
    ['GET', '/api/v1/namespaces', 'list namespaces'],
    ['GET', '/api/v1/namespaces/shop', 'get namespaces named shop'],
    ['PUT', '/api/v1/namespaces/shop/finalize', 'update namespaces/finalize named shop'],
    ['GET', '/apis/apps/v1', undefined],
    ['GET', '/api/v1', undefined],
    ['GET', '/version', undefined],
  ] as const)('%s %s is %s', (method, path, expected) => {
    const info = requestInfo({ method, path });
    const namespace = info?.namespace === undefined ? '' : ` in ${info.namespace}`;
    const name = info?.name === undefined ? '' : ` named ${info.name}`;
    expect(info && `${info.verb} ${info.resource}${namespace}${name}`).toBe(expected);
  });
});

describe('spans of client calls', () => {
  const fixture = transportFixture();

  it('have verb, resource, cluster, namespace and status, and end when the headers arrive', async () => {
    const tracer = new RecordingTracer();
    const server = await fixture.startServer((request, response) => {
      request.resume();
      response.writeHead(request.method === 'GET' ? 200 : 409);
      response.end(JSON.stringify({ metadata: {}, items: [] }));
    });
    const transport = fixture.transportTo(server);
    const client = createClient({ server: 'https://h' }, { transport, tracer, clusterName: 'eu-1' });
    await client.list(Deployment, { namespace: 'shop' });
    await client.update(ConfigMap, { metadata: { namespace: 'shop', name: 'a' } }).catch(() => undefined);
    expect(tracer.spans).toMatchObject([
      {
        name: 'list deployments.apps',
        kind: 2,
        attributes: {
          'http.request.method': 'GET',
          'http.response.status_code': 200,
          'k8s.cluster.name': 'eu-1',
          'k8s.namespace.name': 'shop',
          'mcr.verb': 'list',
          'mcr.resource': 'deployments.apps',
        },
        status: undefined,
        ended: 1,
      },
      {
        name: 'update configmaps',
        attributes: { 'k8s.object.name': 'a', 'http.response.status_code': 409 },
        status: { code: 2 },
        ended: 1,
      },
    ]);
  });

  it('record why there was no response, but not that the caller aborted', async () => {
    const tracer = new RecordingTracer();
    const server = await fixture.startServer(() => undefined);
    const transport = tracedTransport(fixture.transportTo(server), { tracer });
    await expect(transport.send({ method: 'GET', path: '/version', timeout: 50 })).rejects.toThrow('deadline');
    const end = new AbortController();
    const sent = transport.send({ method: 'GET', path: '/api/v1/pods?watch=true', signal: end.signal });
    end.abort(new Error('enough'));
    await expect(sent).rejects.toThrow('enough');
    expect(tracer.spans).toMatchObject([
      {
        name: 'GET /version',
        attributes: { 'url.path': '/version' },
        status: { code: 2, message: expect.stringContaining('deadline') },
        ended: 1,
      },
      { name: 'watch pods', status: undefined, exceptions: [], ended: 1 },
    ]);
  });
});
