import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ControlPlane, createControlPlane } from '../control-plane.fixture.ts';
import { CONFIG_MAPS, configMap, RawClient } from '../raw-client.fixture.ts';
import { servicesSchema } from './service-addresses.ts';
import { deny, WebhookServer } from './webhook-server.fixture.ts';

const PATH = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

describe('the addresses of Services', () => {
  let webhooks: WebhookServer;
  let plane: ControlPlane;
  let client: RawClient;
  beforeAll(async () => {
    webhooks = await WebhookServer.start({ hosts: ['asked.shop.svc'] });
    const { host } = new URL(webhooks.serve('/ask', deny('asked')).url);
    plane = await createControlPlane({ services: { 'shop/asked': host, 'shop/other': host } });
    client = new RawClient(plane.config);
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await plane.stop();
    await webhooks[Symbol.asyncDispose]();
  });

  /** Returns the message for an object that the webhook of a Service decides about. */
  async function messageBy(name: string): Promise<string | undefined> {
    const service = { namespace: 'shop', name, path: '/ask', port: 8443 };
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }];
    const { status } = await client.post(PATH, {
      metadata: { name },
      webhooks: [
        {
          name: `${name}.example.com`,
          clientConfig: { service, caBundle: webhooks.caBundle },
          rules,
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
    expect(status).toBe(201);
    try {
      return (await client.post(CONFIG_MAPS, configMap('written'))).body.message;
    } finally {
      await client.delete(`${PATH}/${name}`);
    }
  }

  it('K-27: lead the calls of a Service to its address, with the certificate of the Service', async () => {
    expect(await messageBy('asked')).toBe('admission webhook "asked.example.com" denied the request: asked');
    expect(await messageBy('other')).toContain(
      'certificate is valid for 127.0.0.1, localhost, kubernetes, asked.shop.svc, not other.shop.svc',
    );
    expect(await messageBy('absent')).toContain(
      'https://absent.shop.svc:8443/ask?timeout=10s": service "absent" not found',
    );
  });

  it.each([
    [{ shop: '127.0.0.1:1' }, 'shop: expected "<namespace>/<name>" of a Service as key'],
    [{ 'shop/a/b': '127.0.0.1:1' }, 'shop/a/b: expected "<namespace>/<name>" of a Service as key'],
    [{ 'shop/a': '127.0.0.1' }, 'shop/a: expected "<host>:<port>", such as "127.0.0.1:9443"'],
    [{ 'shop/a': '127.0.0.1:65536' }, 'shop/a: expected "<host>:<port>", such as "127.0.0.1:9443"'],
    [{ 'shop/a': '[::g]:1' }, 'shop/a: expected "<host>:<port>", such as "127.0.0.1:9443"'],
  ])('refuse %j', (services, message) => {
    const { error } = servicesSchema.safeParse(services);
    expect(error?.issues.map((issue) => `${issue.path.join('.')}: ${textOf(issue as Issue)}`)).toEqual([message]);
  });

  it('accept names and IPv6 addresses', () => {
    expect(servicesSchema.safeParse({ 'a/b': '[::1]:9443', 'a/c': 'localhost:1' }).success).toBe(true);
  });
});

interface Issue {
  readonly message: string;
  readonly issues?: readonly Issue[];
}

/** Returns the message of an issue. That of a key is nested. */
function textOf({ message, issues: [nested] = [] }: Issue): string {
  return nested ? textOf(nested) : message;
}
