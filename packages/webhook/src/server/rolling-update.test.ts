import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { Agent, request } from 'node:https';
import { buffer } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { eventually, VirtualClock } from '@mcr/core/testing';
import { Cart, cart } from '../admission/cart.fixture.ts';
import { webhookFor } from '../admission/kind-webhook.ts';
import { review, RunningWebhooks } from './server.fixture.ts';

const VALIDATE = '/validate-shop-example-com-v1-cart';
const setUp = (webhooks: RunningWebhooks['webhooks']): void =>
  webhooks.register(webhookFor(Cart).validate({ create: () => undefined }));

describe('a rolling update of two replicas', () => {
  it('WH-5: refuses no request while the address switches to another replica', async () => {
    const clock = new VirtualClock();
    await using first = await RunningWebhooks.start({ clock, drainDelay: 1_500, setUp });
    const certificate = { certDir: first.certDir };
    await using second = await RunningWebhooks.start({ certificate, setUp });
    // Like a Service, the address leads new connections to one replica, and keeps those that are open.
    let target = first;
    /** Number of connections that are open to the first replica. */
    let toFirst = 0;
    const service = createServer((socket) => {
      const upstream = connect(Number(new URL(target.url).port), '127.0.0.1');
      if (target === first) {
        toFirst++;
        upstream.once('close', () => toFirst--);
      }
      socket.pipe(upstream).pipe(socket);
      for (const end of [socket, upstream]) end.on('error', () => undefined);
    });
    service.listen(0, '127.0.0.1');
    await once(service, 'listening');
    const { port } = service.address() as AddressInfo;

    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const call = async (): Promise<number | undefined> => {
      const headers = { 'content-type': 'application/json' };
      const outgoing = request(`https://127.0.0.1:${port}${VALIDATE}`, {
        ...{ method: 'POST', agent, ca: first.caCertificate, headers },
      });
      outgoing.end(JSON.stringify(review({ object: cart({}) })));
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      await buffer(response);
      return response.statusCode;
    };
    const statuses: (number | undefined)[] = [];
    let isOver = false;
    const callers = Array.from({ length: 4 }, async () => {
      while (!isOver) statuses.push(await call());
    });
    await eventually(() => expect(statuses.length).toBeGreaterThan(10));

    // Kubernetes removes a Pod from its Service after it told it to stop.
    first.end.abort();
    await eventually(() => expect(first.logged('webhook server is draining')).toHaveLength(1));
    target = second;
    // The time stands still until every caller has another connection, however long that takes on a busy machine.
    await eventually(() => expect(toFirst).toBe(0));
    await clock.advance(1_500);
    await first.stopped;
    const after = statuses.length;
    await eventually(() => expect(statuses.length).toBeGreaterThan(after + 10));
    isOver = true;
    await Promise.all(callers);
    expect(new Set(statuses)).toEqual(new Set([200]));
    agent.destroy();
    service.close();
  });
});
