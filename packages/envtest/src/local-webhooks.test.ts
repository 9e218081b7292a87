import { describe, expect, it } from '@jest/globals';
import { withLocalWebhooks } from './local-webhooks.ts';

const endpoint = { url: 'https://127.0.0.1:9443', caData: '-----BEGIN CERTIFICATE-----\n' };
const caBundle = Buffer.from(endpoint.caData).toString('base64');

describe('withLocalWebhooks', () => {
  it('K-27: calls the webhooks of a configuration on this machine, on the paths of their Services', () => {
    const webhooks = [
      { name: 'a', clientConfig: { service: { name: 's', namespace: 'n', path: '/validate' } } },
      { name: 'b', clientConfig: { url: 'https://elsewhere.example.com/mutate' } },
    ];
    expect(withLocalWebhooks([{ kind: 'ValidatingWebhookConfiguration', webhooks }], endpoint)).toEqual([
      {
        kind: 'ValidatingWebhookConfiguration',
        webhooks: [
          { name: 'a', clientConfig: { url: 'https://127.0.0.1:9443/validate', caBundle } },
          { name: 'b', clientConfig: { url: 'https://127.0.0.1:9443/mutate', caBundle } },
        ],
      },
    ]);
  });

  it('K-26: calls conversion webhooks on this machine, and does not change other definitions', () => {
    const webhook = { clientConfig: { service: { name: 's', namespace: 'n' } }, conversionReviewVersions: ['v1'] };
    const hooked = { spec: { group: 'a', conversion: { strategy: 'Webhook', webhook } } };
    const plain = { spec: { group: 'b', conversion: { strategy: 'None' } } };
    const [first, second] = withLocalWebhooks([hooked, plain], endpoint);
    expect(first?.spec).toEqual({
      group: 'a',
      conversion: {
        strategy: 'Webhook',
        webhook: {
          clientConfig: { url: 'https://127.0.0.1:9443/convert', caBundle },
          conversionReviewVersions: ['v1'],
        },
      },
    });
    expect(second).toBe(plain);
  });

  it('K-27: refuses an endpoint without TLS', () => {
    expect(() => withLocalWebhooks([], { ...endpoint, url: 'http://127.0.0.1' })).toThrow('expected an https URL');
  });
});
