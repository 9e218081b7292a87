import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { connect as connectHttp2 } from 'node:http2';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigMap } from '@mcr/core';
import { untilAborted } from '@mcr/core/provider';
import { Cart, cart } from '../admission/cart.fixture.ts';
import { deny } from '../admission/denial.ts';
import { webhookFor } from '../admission/kind-webhook.ts';
import { conversion } from '../conversion/conversion.ts';
import { review, RunningWebhooks } from './server.fixture.ts';

const MUTATE = '/mutate-shop-example-com-v1-cart';
const VALIDATE = '/validate-shop-example-com-v1-cart';

describe('the webhook server', () => {
  let running: RunningWebhooks;
  /** Calls that wait in the handler, by the name of their object. */
  const waiting = new Map<string, () => void>();
  let aborted: unknown;

  const carts = webhookFor(Cart)
    .default((object) => {
      object.spec.size ??= 3;
    })
    .validate({
      create: async ({ metadata, spec }, { signal, cluster, audit, request, warn }) => {
        audit('cluster', cluster.name);
        if (request.dryRun) warn('dry run');
        if (metadata.name === 'broken') throw new Error('the password is hunter2');
        if (metadata.name === 'stuck') await new Promise<void>((resolve) => waiting.set('stuck', resolve));
        if (metadata.name === 'slow') {
          await untilAborted(signal);
          aborted = signal.reason;
        }
        return spec.size === 13 ? deny('unlucky', { causes: [{ field: 'spec.size', message: 'not 13' }] }) : undefined;
      },
      delete: (old) => (old.spec.size === 1 ? deny('keep it') : undefined),
    })
    .subresource('exec', ({ operation }) => deny(`no ${operation}`));

  beforeAll(async () => {
    running = await RunningWebhooks.start({
      limits: { concurrency: 2, admissionBytes: 64 * 1024, totalBytes: 128 * 1024 },
      setUp: (webhooks) => {
        webhooks.register(carts);
        webhooks.register(conversion({ kind: Cart, convert: (object, apiVersion) => ({ ...object, apiVersion }) }));
      },
    });
  });
  afterAll(() => running[Symbol.asyncDispose]());

  it('WH-1: answers a review with its uid, and the defaults as a patch of the changed fields', async () => {
    const { status, body } = await running.post(`${MUTATE}?timeout=10s`, review({ object: cart({}) }));
    expect(status).toBe(200);
    const { patch = '', ...response } = body.response ?? { uid: '' };
    expect(response).toEqual({ uid: 'u-1', allowed: true, patchType: 'JSONPatch' });
    expect(JSON.parse(Buffer.from(patch, 'base64').toString())).toEqual([{ op: 'add', path: '/spec/size', value: 3 }]);
    const same = await running.post(MUTATE, review({ object: cart({ size: 1 }) }));
    expect(same.body.response).toEqual({ uid: 'u-1', allowed: true });
  });

  it('WH-1: denies with a Status that has the fields as causes', async () => {
    const { body } = await running.post(VALIDATE, review({ object: cart({ size: 13 }) }));
    expect(body.response).toMatchObject({
      allowed: false,
      status: {
        code: 422,
        reason: 'Invalid',
        message: 'unlucky: spec.size: not 13',
        details: { kind: 'Cart', name: 'a', causes: [{ field: 'spec.size', message: 'not 13' }] },
      },
    });
  });

  it('WH-1: reviews deletions, which have an old object only, dry runs, and connections to subresources', async () => {
    const remove = { operation: 'DELETE', oldObject: cart({ size: 1 }) };
    expect((await running.post(VALIDATE, review(remove))).body.response).toMatchObject({ allowed: false });
    const dry = await running.post(VALIDATE, review({ object: cart({}), dryRun: true }));
    expect(dry.body.response).toMatchObject({ allowed: true, warnings: ['dry run'] });
    const connect = {
      operation: 'CONNECT',
      subResource: 'exec',
      kind: { group: '', version: 'v1', kind: 'PodExecOptions' },
      object: { kind: 'PodExecOptions', apiVersion: 'v1', stdin: true },
    };
    expect((await running.post(VALIDATE, review(connect))).body.response).toMatchObject({
      allowed: false,
      status: { message: 'no CONNECT' },
    });
  });

  it('WH-1: answers 500 without the cause when a handler throws, so that the failure policy applies', async () => {
    const { status, text } = await running.post(VALIDATE, review({ object: cart({}, 'broken') }));
    expect([status, text]).toEqual([500, 'internal error\n']);
    const [line] = running.logged('webhook handler threw');
    expect(line?.fields).toMatchObject({ webhook: VALIDATE, error: new Error('the password is hunter2') });
  });

  it('WH-4: tells a handler which cluster asks by the path of the call', async () => {
    const path = `/clusters/fleet~2feu-1${VALIDATE}`;
    expect((await running.post(path, review({ object: cart({}) }))).body.response).toMatchObject({
      auditAnnotations: { cluster: 'fleet/eu-1' },
    });
    expect((await running.post(`/clusters/eu.1${VALIDATE}`, review({ object: cart({}) }))).status).toBe(404);
  });

  it.each([
    ['an unknown path', '/nothing', review({}), {}, 404, 'no webhook'],
    ['another method', VALIDATE, '', { method: 'GET' }, 405, 'POST'],
    [
      'another content type',
      VALIDATE,
      'a: b',
      { headers: { 'content-type': 'application/yaml' } },
      400,
      'content type',
    ],
    ['an encoded body', VALIDATE, 'x', { headers: { 'content-encoding': 'gzip' } }, 400, 'content encoding'],
    ['an empty body', VALIDATE, '', {}, 400, 'the body is empty'],
    ['a body that is not JSON', VALIDATE, '{"password": hunter2', {}, 400, 'the body is not JSON\n'],
    ['a body that is nested too deeply', VALIDATE, '['.repeat(20_000), {}, 400, 'nested'],
    ['another kind', VALIDATE, { apiVersion: 'v1', kind: 'Pod' }, {}, 400, 'expected an AdmissionReview'],
    [
      'version v1beta1',
      VALIDATE,
      { ...review({}), apiVersion: 'admission.k8s.io/v1beta1' },
      {},
      400,
      'admissionReviewVersions',
    ],
    ['no object', VALIDATE, review({}), {}, 400, 'invalid at request'],
    ['a wrong field', VALIDATE, review({ userInfo: { groups: 'x' } }), {}, 400, 'request.userInfo.groups'],
    ['a deletion without its object', VALIDATE, review({ operation: 'DELETE', object: cart({}) }), {}, 400, 'invalid'],
    [
      'a kind of other rules',
      VALIDATE,
      review({ object: cart({}), kind: { group: '', version: 'v1', kind: 'Pod' } }),
      {},
      400,
      'rules',
    ],
    ['a wrong timeout', `${VALIDATE}?timeout=soon`, review({ object: cart({}) }), {}, 400, 'timeout'],
    ['a conversion of another kind', '/convert', convert({ kind: 'Pod' }), {}, 400, 'does not convert'],
    [
      'a conversion in version v1beta1',
      '/convert',
      { ...convert({}), apiVersion: 'apiextensions.k8s.io/v1beta1' },
      {},
      400,
      'conversionReviewVersions',
    ],
  ])('WH-6: refuses %s with a reason', async (_, path, body, call, status, reason) => {
    const answer = await running.post(path, body, call);
    expect(answer.text).toContain(reason);
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain('hunter2');
  });

  it('WH-6: refuses a body that is too large with 413, announced or not, and serves the next request', async () => {
    const body = JSON.stringify(review({ object: cart({ zone: 'x'.repeat(70_000) }) }));
    for (const headers of [{ 'content-length': body.length }, { 'transfer-encoding': 'chunked' }]) {
      const { status, headers: received } = await running.post(VALIDATE, body, { headers });
      expect(status).toBe(413);
      expect(received.connection).toBe('close');
    }
    expect((await running.post(VALIDATE, review({ object: cart({}) }))).status).toBe(200);
  });

  it('WH-6: ends a review at the deadline of the API server, and tells the handler', async () => {
    const { status } = await running.post(`${VALIDATE}?timeout=50ms`, review({ object: cart({}, 'slow') }));
    expect(status).toBe(504);
    expect(String(aborted)).toContain('deadline');
  });

  it('WH-6: limits concurrent requests, also those of handlers that ignore their deadline', async () => {
    const stuck = () => running.post(`${VALIDATE}?timeout=50ms`, review({ object: cart({}, 'stuck') }));
    expect((await stuck()).status).toBe(504);
    const first = waiting.get('stuck');
    expect((await stuck()).status).toBe(504);
    const refused = await running.post(VALIDATE, review({ object: cart({}) }));
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    // Another webhook is not affected.
    expect((await running.post(MUTATE, review({ object: cart({}) }))).status).toBe(200);
    first?.();
    waiting.get('stuck')?.();
    expect((await running.post(VALIDATE, review({ object: cart({}) }))).status).toBe(200);
  });

  it('WH-6: serves reviews while strangers send bodies slowly', async () => {
    const headers = { 'content-type': 'application/json', 'content-length': 60_000 };
    const slow = Array.from({ length: 20 }, () =>
      request(`${running.url}${VALIDATE}`, { method: 'POST', ca: running.caCertificate, headers, agent: false }),
    );
    for (const each of slow) each.on('error', () => undefined);
    await Promise.all(slow.map((each) => new Promise<void>((resolve) => each.write('{', () => resolve()))));
    expect((await running.post(VALIDATE, review({ object: cart({}) }))).status).toBe(200);
    for (const each of slow) each.destroy();
  });

  it('WH-6: logs the same refusal once in ten seconds', async () => {
    for (let count = 0; count < 20; count++) await running.post(VALIDATE, 'x');
    const lines = running
      .logged('refused a request to a webhook')
      .filter(({ fields }) => fields?.['webhook'] === VALIDATE);
    expect(lines).toHaveLength(1);
  });

  it('WH-6: has metrics under the names of controller-runtime', async () => {
    const text = await running.manager.metrics?.registry.metrics();
    expect(text).toContain(`controller_runtime_webhook_requests_total{webhook="${MUTATE}",code="200"}`);
    expect(text).toContain(`controller_runtime_webhook_requests_total{webhook="${VALIDATE}",code="500"} 1`);
    expect(text).toContain(`controller_runtime_webhook_requests_in_flight{webhook="${VALIDATE}"} 0`);
    expect(text).toContain(`controller_runtime_webhook_panics_total{webhook="${VALIDATE}"} 1`);
    expect(text).toContain(`controller_runtime_webhook_latency_seconds_count{webhook="${MUTATE}"}`);
  });

  it('WH-1: converts the objects of a review', async () => {
    const { status, body } = await running.post('/convert', convert({}));
    expect(status).toBe(200);
    expect(body.response).toMatchObject({
      uid: 'u-2',
      result: { status: 'Success' },
      convertedObjects: [{ apiVersion: 'shop.example.com/v2', kind: 'Cart', spec: { size: 1 } }],
    });
  });

  it('WH-6: serves HTTP/2 and keeps connections of HTTP/1.1', async () => {
    const session = connectHttp2(running.url, { ca: running.caCertificate });
    const stream = session.request({ ':method': 'POST', ':path': MUTATE, 'content-type': 'application/json' });
    stream.end(JSON.stringify(review({ object: cart({}) })));
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect(headers[':status']).toBe(200);
    expect((await buffer(stream)).toString()).toContain('"allowed":true');
    session.close();

    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let connections = 0;
    agent.on('free', () => (connections += 1));
    await running.post(MUTATE, review({ object: cart({}) }), { agent });
    await running.post(MUTATE, review({ object: cart({}) }), { agent });
    expect(Object.values(agent.freeSockets).flat()).toHaveLength(1);
    expect(connections).toBe(2);
    agent.destroy();
  });

  it('WH-1: refuses a second webhook of a kind, and one without handlers', async () => {
    const again = conversion({ kind: Cart, convert: (object) => object });
    await using _ = await RunningWebhooks.start({
      setUp: (webhooks) => {
        webhooks.register(carts);
        webhooks.register(again);
        expect(() => webhooks.register(carts)).toThrow('has a webhook at /mutate-shop-example-com-v1-cart already');
        expect(() => webhooks.register(webhookFor(Cart))).toThrow('has no handlers');
        expect(() => webhooks.register(again)).toThrow('has a conversion already');
      },
    });
  });

  it('WH-1: refuses a webhook after the start, because it would not be installed', () => {
    const late = webhookFor(ConfigMap).validate({ create: () => undefined });
    expect(() => running.webhooks.register(late)).toThrow('register all webhooks before manager.start');
  });
});

function convert(object: object): object {
  const objects = [{ ...cart({ size: 1 }), ...object }];
  const request = { uid: 'u-2', desiredAPIVersion: 'shop.example.com/v2', objects };
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request };
}
