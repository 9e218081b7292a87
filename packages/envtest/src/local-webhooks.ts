import { parseOptions } from '@mcr/client';
import * as z from 'zod';

/** Server on this machine that webhooks run in. */
export interface WebhookEndpoint {
  /** URL without a path, for example `https://127.0.0.1:9443`. */
  readonly url: string;
  /** PEM of the authority that signed the certificate of the server. */
  readonly caData: string;
}

const endpointSchema = z.strictObject({
  url: z.url({ protocol: /^https$/, error: 'expected an https URL' }),
  caData: z.string().regex(/-----BEGIN CERTIFICATE-----/, 'expected a certificate in PEM'),
} satisfies Record<keyof WebhookEndpoint, z.ZodType>);

interface ClientConfig {
  readonly url?: string;
  readonly service?: { readonly path?: string };
}

interface WithWebhooks {
  readonly webhooks?: readonly { readonly clientConfig?: ClientConfig }[];
  readonly spec?: {
    readonly conversion?: { readonly strategy?: string; readonly webhook?: { readonly clientConfig?: ClientConfig } };
  };
}

/** Default path of conversion webhooks, as in controller-runtime. */
const CONVERSION_PATH = '/convert';

/**
 * Returns copies of webhook configurations and CustomResourceDefinitions whose webhooks are called on this machine, on
 * the path of their Service, because no Service is reachable from a test. Other objects are returned unchanged.
 * (Upstream: `WebhookInstallOptions` of `sigs.k8s.io/controller-runtime/pkg/envtest`.)
 *
 * @throws {TypeError} if the endpoint is invalid.
 */
export function withLocalWebhooks<T extends object>(objects: readonly T[], endpoint: WebhookEndpoint): T[] {
  const { url, caData } = parseOptions('withLocalWebhooks', endpointSchema, endpoint);
  const caBundle = Buffer.from(caData).toString('base64');
  const local = ({ url: known, service }: ClientConfig = {}, fallback = ''): object => {
    const path = service?.path ?? (known === undefined ? fallback : new URL(known).pathname);
    return { url: new URL(path, url).href, caBundle };
  };
  return objects.map((object) => {
    const { webhooks, spec } = object as WithWebhooks;
    if (webhooks) {
      return { ...object, webhooks: webhooks.map((hook) => ({ ...hook, clientConfig: local(hook.clientConfig) })) };
    }
    const { conversion } = spec ?? {};
    if (conversion?.strategy !== 'Webhook') return object;
    const webhook = { ...conversion.webhook, clientConfig: local(conversion.webhook?.clientConfig, CONVERSION_PATH) };
    return { ...object, spec: { ...spec, conversion: { ...conversion, webhook } } };
  });
}
