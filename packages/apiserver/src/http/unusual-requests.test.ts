import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { CONFIG_MAPS, RawClient } from '../raw-client.fixture.ts';

describe('unusual requests', () => {
  let plane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    plane = await createControlPlane();
    client = new RawClient(plane.config);
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await plane[Symbol.asyncDispose]();
  });

  it('K-8: a watch with initial events of a future version is an ERROR event', async () => {
    const query = 'watch=true&resourceVersion=99999999&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
    const { status, body } = await client.get(`${CONFIG_MAPS}?${query}&allowWatchBookmarks=true`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ type: 'ERROR', object: { code: 504, reason: 'Timeout' } });
  });

  it('K-24: an escaped surrogate without a partner is U+FFFD', async () => {
    const escapes = String.raw`\ud800 \ud83d\ude00 \\ud800 \udc00\ud800`;
    const sent = `{"metadata":{"name":"surrogates"},"data":{"a":"${escapes}"}}`;
    const expected = { a: '\ufffd \u{1f600} \\ud800 \ufffd\ufffd' };
    const headers = { 'content-type': 'application/json' };
    const { body } = await client.request('POST', CONFIG_MAPS, { body: sent, headers });
    expect(body.data).toEqual(expected);
    const patched = await client.request('PATCH', `${CONFIG_MAPS}/surrogates`, {
      body: String.raw`{"data":{"b":"\udfff"}}`,
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    expect(patched.body.data).toEqual({ ...expected, b: '\ufffd' });
  });

  it('K-3: a continue token does not lead out of the collection', async () => {
    const token = (start: string): string =>
      Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: -1, start })).toString('base64url');
    for (const start of ['../../x', 'a/../b', 'a//b', 'a/']) {
      const { status, body } = await client.get(`${CONFIG_MAPS}?limit=1&continue=${token(start)}`);
      expect([status, body.message]).toEqual([400, `invalid continue token: continue key is not valid: ${start}`]);
    }
    expect((await client.get(`${CONFIG_MAPS}?limit=1&continue=${token('default/a')}`)).status).toBe(200);
  });

  it('K-20: a quantity with a large exponent is the largest one', async () => {
    const limits = { cpu: '1e999999' };
    const { status } = await client.post('/api/v1/namespaces/default/pods', {
      metadata: { name: 'large' },
      spec: { containers: [{ name: 'c', image: 'i', resources: { limits } }] },
    });
    expect(status).toBe(201);
  });

  it('K-24: the target of a request may be an absolute URL', async () => {
    const { server, tls } = plane.config;
    const sent = request(server, { path: `${server}/livez?verbose`, ca: tls?.caData ?? '', agent: false }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(200);
  });
});
