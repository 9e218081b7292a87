import type { ObjectManifest } from '@mcr/apiserver';
import type { Manifest } from '@mcr/apiserver/manifests';
import { readManifests } from '@mcr/apiserver/manifests';
import * as z from 'zod';
import type { LocalWebhooks } from './local-webhooks.ts';

const KINDS = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

const clientConfigSchema = z.looseObject({
  url: z.string().optional(),
  service: z.looseObject({ path: z.string().optional() }).nullish(),
});

const webhooksSchema = z.array(z.looseObject({ clientConfig: clientConfigSchema }));

const conversionSchema = z.looseObject({ webhook: z.looseObject({ clientConfig: clientConfigSchema }) });

/**
 * Reads Mutating- and ValidatingWebhookConfigurations. Objects of other kinds are skipped.
 *
 * @throws {Error} that names the path, if it has no configuration.
 */
export async function readWebhookConfigurations(paths: readonly string[]): Promise<Manifest[]> {
  const all: Manifest[] = [];
  for (const path of paths) {
    const found = (await readManifests([path], 'webhooks.paths', KINDS)).filter(
      ({ object }) => object.apiVersion === 'admissionregistration.k8s.io/v1',
    );
    if (found.length === 0) {
      throw new Error(
        `webhooks.paths: ${path}: no MutatingWebhookConfiguration or ValidatingWebhookConfiguration found`,
      );
    }
    all.push(...found);
  }
  return all;
}

/**
 * Returns a configuration whose webhooks are called at a local address instead of at a Service.
 *
 * @throws {Error} that names the source, if a webhook has no `clientConfig`.
 */
export function withLocalWebhooks({ source, object }: Manifest, local: LocalWebhooks): Manifest {
  const { success, data } = webhooksSchema.safeParse(object['webhooks'] ?? []);
  if (!success) throw new Error(`${source}: webhooks: expected a list of webhooks, each with a clientConfig`);
  const webhooks = data.map((webhook) => ({ ...webhook, clientConfig: localConfig(webhook.clientConfig, local) }));
  return { source, object: { ...object, webhooks } };
}

/** Returns a CustomResourceDefinition whose conversion webhook, if it has one, is called at a local address. */
export function withLocalConversion({ source, object }: Manifest, local: LocalWebhooks): Manifest {
  const spec = object['spec'] as ObjectManifest['metadata'];
  const { success, data: conversion } = conversionSchema.safeParse(spec['conversion']);
  if (!success) return { source, object };
  const { webhook } = conversion;
  const localWebhook = { ...webhook, clientConfig: localConfig(webhook.clientConfig, local) };
  return { source, object: { ...object, spec: { ...spec, conversion: { ...conversion, webhook: localWebhook } } } };
}

function localConfig(config: z.infer<typeof clientConfigSchema>, { host, port, caCertificate }: LocalWebhooks): object {
  const caBundle = Buffer.from(caCertificate).toString('base64');
  const { service, ...rest } = config;
  if (!service) return { ...config, caBundle };
  const path = (service.path ?? '/').replace(/^\/*/, '/');
  return { ...rest, url: `https://${host.includes(':') ? `[${host}]` : host}:${port}${path}`, caBundle };
}
