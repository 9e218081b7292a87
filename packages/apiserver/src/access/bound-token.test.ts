import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { RawClient } from '../raw-client.fixture.ts';

const NAMESPACE = '/api/v1/namespaces/default';
const AUTHENTICATION = '/apis/authentication.k8s.io/v1';
const ISSUER = 'https://kubernetes.default.svc';

const tokenRequest = (spec: object, metadata = {}): object => ({
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenRequest',
  metadata,
  spec,
});
const reference = (kind: string, name: string, fields = {}): object => ({
  boundObjectRef: { kind, apiVersion: 'v1', name, ...fields },
});

interface Claims {
  readonly exp: number;
  readonly iat: number;
  readonly jti: string;
  readonly 'kubernetes.io': Readonly<Record<string, unknown>>;
}

describe('tokens of service accounts', () => {
  let plane: ControlPlane;
  let admin: RawClient;

  beforeAll(async () => {
    plane = await createControlPlane();
    admin = new RawClient(plane.config);
    for (const name of ['robot', 'other']) await admin.post(`${NAMESPACE}/serviceaccounts`, { metadata: { name } });
    for (const [name, serviceAccountName] of [
      ['bound', 'robot'],
      ['foreign', 'other'],
    ]) {
      const spec = { serviceAccountName, nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] };
      await admin.post(`${NAMESPACE}/pods`, { metadata: { name }, spec });
    }
    await admin.post(`${NAMESPACE}/secrets`, { metadata: { name: 'bound' } });
    await admin.post('/api/v1/nodes', { metadata: { name: 'n1' } });
  });
  afterAll(async () => {
    admin[Symbol.dispose]();
    await plane.stop();
  });

  async function issue(spec: object, metadata = {}): Promise<[status: number, text: string]> {
    const { status, body } = await admin.post(`${NAMESPACE}/serviceaccounts/robot/token`, tokenRequest(spec, metadata));
    return [status, status === 201 ? (body.status as { token: string }).token : body.message];
  }

  function claimsOf(token: string): Claims {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Claims;
  }

  async function review(token: string, audiences?: readonly string[]): Promise<unknown> {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token, audiences } };
    return (await admin.post(`${AUTHENTICATION}/tokenreviews`, body)).body.status;
  }

  async function statusOfUse(token: string): Promise<number> {
    using client = new RawClient({ ...plane.config, auth: { type: 'token', token } });
    return (await client.get('/version', {})).status;
  }

  it('K-21: a token for another audience is refused, unless a review asks for that audience', async () => {
    const [, token] = await issue({ audiences: ['vault'] });
    expect(await statusOfUse(token)).toBe(401);
    const why = `token audiences ["vault"] is invalid for the target audiences ["${ISSUER}"]`;
    expect(await review(token)).toEqual({ user: {}, error: `[invalid bearer token, ${why}]` });
    expect(await review(token, ['vault', 'x'])).toMatchObject({ authenticated: true, audiences: ['vault'] });
    const [, both] = await issue({ audiences: ['vault', ISSUER] });
    expect(await statusOfUse(both)).toBe(200);
    expect(await review(both)).toMatchObject({ authenticated: true, audiences: [ISSUER] });
  });

  it('K-21: a token without audiences is valid for the server only', async () => {
    const { auth } = plane.config;
    const token = auth?.type === 'token' ? auth.token : '';
    expect(await review(token)).toMatchObject({ authenticated: true, audiences: [ISSUER] });
    expect(await review(token, ['vault'])).toEqual({ user: {}, error: 'invalid bearer token' });
  });

  it('K-21: a token that is bound to a Pod has claims and attributes of the Pod and its node', async () => {
    const [, token] = await issue(reference('Pod', 'bound'));
    const { body: pod } = await admin.get(`${NAMESPACE}/pods/bound`);
    const { body: node } = await admin.get('/api/v1/nodes/n1');
    const { jti, ...claims } = claimsOf(token);
    expect(claims['kubernetes.io']).toMatchObject({
      pod: { name: 'bound', uid: pod.metadata.uid },
      node: { name: 'n1', uid: node.metadata.uid },
    });
    const prefix = 'authentication.kubernetes.io';
    expect(await review(token)).toMatchObject({
      user: {
        extra: {
          [`${prefix}/credential-id`]: [`JTI=${jti}`],
          [`${prefix}/pod-name`]: ['bound'],
          [`${prefix}/pod-uid`]: [pod.metadata.uid],
          [`${prefix}/node-name`]: ['n1'],
          [`${prefix}/node-uid`]: [node.metadata.uid],
        },
      },
    });
  });

  it.each([
    [reference('Pod', 'none'), 404, 'pods "none" not found'],
    [reference('ConfigMap', 'none'), 400, 'cannot bind token to object of type /v1, Kind=ConfigMap'],
    [reference('Pod', 'x', { apiVersion: 'apps/v1' }), 400, 'cannot bind token to object of type apps/v1, Kind=Pod'],
    [
      reference('Pod', 'foreign'),
      400,
      'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
    ],
    [
      reference('Secret', 'bound', { uid: 'wrong' }),
      409,
      'Operation cannot be fulfilled on Secret "bound": the UID in the bound object reference (wrong) does not match the UID in record. The object might have been deleted and then recreated',
    ],
    [
      { expirationSeconds: 2 ** 33 },
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 8589934592: may not specify a duration larger than 2^32 seconds',
    ],
  ])('K-21: a TokenRequest for %j is refused with %d', async (spec, status, message) => {
    expect(await issue(spec)).toEqual([status, message]);
  });

  it('K-21: a TokenRequest that names another service account is refused', async () => {
    expect((await issue({}, { name: 'other' }))[0]).toBe(422);
    expect((await issue({}, { namespace: 'other' }))[0]).toBe(400);
    expect((await issue({}, { uid: 'other' }))[0]).toBe(409);
  });

  it('K-21: the token of a Pod that kubelet requests is valid for a year', async () => {
    const [, token] = await issue({ ...reference('Pod', 'bound'), expirationSeconds: 3607 });
    const { exp, iat, ...claims } = claimsOf(token);
    expect([exp - iat, claims['kubernetes.io']['warnafter']]).toEqual([31_536_000, iat + 3607]);
  });

  it('K-21: a token is invalid once the object that it is bound to is gone', async () => {
    for (const [kind, path] of [
      ['Pod', `${NAMESPACE}/pods/bound?gracePeriodSeconds=0`],
      ['Secret', `${NAMESPACE}/secrets/bound`],
      ['Node', '/api/v1/nodes/n1'],
    ] as const) {
      const [status, token] = await issue(reference(kind, kind === 'Node' ? 'n1' : 'bound'));
      expect([status, await statusOfUse(token)]).toEqual([201, 200]);
      await admin.delete(path);
      expect(await statusOfUse(token)).toBe(401);
      const error = '[invalid bearer token, service account token has been invalidated]';
      expect(await review(token)).toEqual({ user: {}, error });
    }
  });
});
