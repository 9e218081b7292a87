import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { describe, expect, it } from '@jest/globals';
import { createControlPlane } from '../control-plane.fixture.ts';
import { CONFIG_MAPS } from '../raw-client.fixture.ts';

describe('a body that is too large', () => {
  it('K-16: ends the HTTP/1.1 connection with the answer, so that a pooled connection is not used again', async () => {
    await using plane = await createControlPlane();
    const { server, tls, auth } = plane.config;
    const authorization = auth?.type === 'token' ? `Bearer ${auth.token}` : '';
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: tls?.caData ?? '' });
    const send = async (method: string, path: string, body = ''): Promise<IncomingMessage> => {
      const headers = { authorization, 'content-type': 'application/json', 'content-length': body.length };
      const sent = request(new URL(path, server), { method, agent, headers }).end(body);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.resume();
      await once(response, 'end');
      return response;
    };
    const refused = await send('POST', CONFIG_MAPS, JSON.stringify({ data: { a: 'x'.repeat(4_000_000) } }));
    expect([refused.statusCode, refused.headers.connection]).toEqual([413, 'close']);
    expect((await send('GET', '/livez')).statusCode).toBe(200);
    agent.destroy();
  });
});
