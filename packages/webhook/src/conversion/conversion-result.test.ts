import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@mcr/core/testing';
import { Cart, cart } from '../admission/cart.fixture.ts';
import { RunningWebhooks } from '../server/server.fixture.ts';
import { conversion } from './conversion.ts';

class Spec {
  readonly size = 1;
}

describe('the result of a conversion', () => {
  let running: RunningWebhooks;
  let fields: object;
  const clock = new VirtualClock();

  beforeAll(async () => {
    running = await RunningWebhooks.start({
      clock,
      setUp: (webhooks) =>
        webhooks.register(
          conversion({
            kind: Cart,
            convert: (object, apiVersion) => ({ ...object, apiVersion, ...fields }),
          }),
        ),
    });
  });
  afterAll(() => running[Symbol.asyncDispose]());

  const convert = async (changes: object) => {
    fields = changes;
    // A failure of a webhook is logged once in ten seconds.
    await clock.advance(10_000);
    const objects = [cart({ huge: 1 })];
    const request = { uid: 'u', desiredAPIVersion: 'shop.example.com/v2', objects };
    return running.post('/convert', { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request });
  };

  it.each<[string, object, string]>([
    ['a Map', { spec: new Map([['size', 1]]) }, '/spec: expected a value of JSON, found Map'],
    ['a Promise', { spec: Promise.resolve({ size: 1 }) }, '/spec: expected a value of JSON, found Promise'],
    ['an instance of a class', { spec: new Spec() }, '/spec: expected a value of JSON, found Spec'],
    ['NaN', { spec: { size: NaN } }, '/spec/size: expected a value of JSON, found number NaN'],
    ['a Set', { spec: { items: [new Set([1])] } }, '/spec/items/0: expected a value of JSON, found Set'],
    ['a function', { spec: { size: () => 1 } }, '/spec/size: expected a value of JSON, found function'],
    ['a Date', { spec: { at: new Date(0) } }, '/spec/at: expected a value of JSON, found Date'],
    ['an undefined spec', { spec: undefined }, 'returned no spec'],
    [
      'a label that is a number',
      { metadata: { ...cart({}).metadata, labels: { a: 1 } } },
      'returned labels that are not',
    ],
  ])('WH-1: fails with %s, and logs the field', async (_, changes, reason) => {
    const { status } = await convert(changes);
    expect(status).toBe(500);
    expect(String(running.logged('webhook handler threw').at(-1)?.fields?.['error'])).toContain(reason);
  });

  it('WH-1: accepts values of JSON, and leaves undefined fields out', async () => {
    const labels = { a: 'b' };
    const metadata = { ...cart({}).metadata, labels };
    const { status, body } = await convert({ metadata, spec: { size: 10n ** 20n, zone: undefined, items: [null] } });
    expect(status).toBe(200);
    expect(body.response?.convertedObjects).toMatchObject([{ metadata: { labels }, spec: { items: [null] } }]);
  });
});
