import { describe, expect, it } from '@jest/globals';
import { defineKind } from '@mcr/core';
import { eventually, VirtualClock } from '@mcr/core/testing';
import { RunningWebhooks } from '../server/server.fixture.ts';
import { conversion } from './conversion.ts';

const kind = (name: string) =>
  defineKind({
    apiVersion: 'shop.example.com/v1',
    kind: name,
    plural: `${name.toLowerCase()}s`,
    scope: 'Namespaced',
  });

const review = (...kinds: string[]) => {
  const objects = kinds.map((name) => ({ apiVersion: 'shop.example.com/v1', kind: name, metadata: { name: 'a' } }));
  const request = { uid: 'u', desiredAPIVersion: 'shop.example.com/v2', objects };
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request };
};

describe('a conversion that does not return', () => {
  it('WH-6: takes no room from other kinds, and is logged', async () => {
    const clock = new VirtualClock();
    await using running = await RunningWebhooks.start({
      clock,
      limits: { concurrency: 1 },
      setUp: (webhooks) => {
        webhooks.register(conversion({ kind: kind('Stuck'), convert: () => new Promise(() => undefined) }));
        webhooks.register(
          conversion({ kind: kind('Good'), convert: (object, apiVersion) => ({ ...object, apiVersion }) }),
        );
      },
    });
    let first: number | undefined;
    void running.post('/convert?timeout=1s', review('Stuck')).then(({ status }) => (first = status));
    await eventually(async () => {
      await clock.advance(1_000);
      expect(first).toBe(504);
    });
    expect((await running.post('/convert', review('Stuck'))).status).toBe(429);
    expect((await running.post('/convert', review('Good'))).status).toBe(200);
    const mixed = await running.post('/convert', review('Good', 'Stuck'));
    expect([mixed.status, mixed.text]).toEqual([400, expect.stringContaining('several kinds')]);
    await clock.advance(10_000);
    const message = 'webhook handler ignores its signal, and takes room from other requests';
    expect(running.logged(message)).toHaveLength(1);
  });
});
