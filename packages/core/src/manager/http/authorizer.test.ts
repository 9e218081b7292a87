import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiClient, Client } from '@mcr/client';
import { ClusterRole, ClusterRoleBinding, createClient } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlane } from '@mcr/envtest';
import { eventually } from '../../testing/eventually.ts';
import { Authorizer } from './authorizer.ts';
import { answerText } from './http-handler.ts';

describe('Authorizer', () => {
  let hub: ControlPlane;
  let admin: ApiClient;
  let server: Server;
  let clock: VirtualClock;
  let reviews: number;
  /** Number of reviews that the hub answers at the same time. */
  let concurrent: { now: number; most: number };

  beforeAll(async () => {
    hub = await createControlPlane();
    admin = createClient(hub.config);
    const metadata = { name: 'scraper' };
    await admin.create(ClusterRole, { metadata, rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }] });
    await admin.create(ClusterRoleBinding, {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'scraper' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'prometheus' }],
    });
    server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });

  afterAll(async () => {
    server.close();
    await admin.close();
    await hub.stop();
  });

  beforeEach(() => {
    clock = new VirtualClock();
    reviews = 0;
    concurrent = { now: 0, most: 0 };
    const counted: Pick<Client, 'create'> = {
      create: async (kind, object, options) => {
        reviews += 1;
        concurrent.most = Math.max(concurrent.most, ++concurrent.now);
        try {
          return await admin.create(kind, object, options);
        } finally {
          concurrent.now -= 1;
        }
      },
    };
    const authorizer = new Authorizer({ client: counted, clock });
    server.removeAllListeners('request').on('request', (request, response) => {
      const path = request.url ?? '';
      const handler = authorizer.guard(path, (_, answer) => answerText(answer, 200, 'the metrics\n'));
      void Promise.resolve(handler(request, response)).catch(() => answerText(response, 500, 'failed\n'));
    });
  });

  const get = async (path: string, token?: string) => {
    const { port } = server.address() as AddressInfo;
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status;
  };
  const tokenOf = async (user: string) => {
    const { config } = await hub.issueToken({ user });
    if (config.auth?.type !== 'token') throw new Error('expected a token');
    return config.auth.token;
  };

  it('S-5: allows authorized requests, and asks the hub about each token and path once a minute', async () => {
    const token = await tokenOf('prometheus');
    expect(await get('/metrics', token)).toBe(200);
    expect(await get('/metrics', token)).toBe(200);
    expect(reviews).toBe(2);
    await clock.advance(60_000);
    expect(await get('/metrics', token)).toBe(200);
    expect(reviews).toBe(4);
    expect(await get('/fleet', token)).toBe(403);
  });

  it('S-5: refuses requests without a token, with an unknown token, or without permission', async () => {
    expect(await get('/metrics')).toBe(401);
    expect(reviews).toBe(0);
    expect(await get('/metrics', 'made-up')).toBe(401);
    expect(await get('/metrics', await tokenOf('somebody'))).toBe(403);
  });

  it('S-5: asks the hub about at most 20 tokens at the same time, and always about those that it accepted before', async () => {
    const token = await tokenOf('prometheus');
    expect(await get('/metrics', token)).toBe(200);
    await clock.advance(60_000);
    const flood = Promise.all(Array.from({ length: 200 }, (_, index) => get('/metrics', `made-up-${index}`)));
    await eventually(() => expect(concurrent.now).toBe(20));
    expect(await Promise.all([get('/metrics', token), get('/metrics', token)])).toEqual([200, 200]);
    expect(new Set(await flood)).toEqual(new Set([401, 503]));
    expect(concurrent.most).toBeLessThanOrEqual(21);
  });

  it('S-5: tokens that the hub does not accept do not replace the answers about others', async () => {
    const token = await tokenOf('prometheus');
    expect(await get('/metrics', token)).toBe(200);
    for (let count = 0; count < 1_000; count += 20)
      await Promise.all(Array.from({ length: 20 }, (_, index) => get('/metrics', `made-up-${count + index}`)));
    const before = reviews;
    expect(await get('/metrics', token)).toBe(200);
    expect(reviews).toBe(before);
  });

  it('S-5: refuses all requests while the hub cannot be asked, and does not cache that result', async () => {
    const token = await tokenOf('prometheus');
    await hub.suspend();
    expect(await get('/metrics', token)).toBe(500);
    await hub.resume();
    expect(await get('/metrics', token)).toBe(200);
  });
});
