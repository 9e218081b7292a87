import type { Client, KubernetesObject, Reader } from '@mcr/core';
import { CustomResourceDefinition, MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@mcr/core';
import type { WebhookServer } from '../server/webhook-server.ts';
import type { ConfigurationInput, ConfiguredWebhook } from './configurations.ts';
import { configuredWebhooks, conversionPatch, definitionName } from './configurations.ts';
import { FIELD_MANAGER, isInstalled, MANAGED_BY, removeConfiguration } from './remove-webhooks.ts';

/** Deadline of each request, in milliseconds. */
const TIMEOUT = 10_000;

/** The API of one configuration, by its type. */
const KINDS = { mutating: MutatingWebhookConfiguration, validating: ValidatingWebhookConfiguration } as const;
const TYPES = ['mutating', 'validating'] as const;

export interface ApplyWebhooks {
  readonly client: Pick<Client, 'apply' | 'patch' | 'delete'>;
  /** Reads without a cache. */
  readonly reader: Pick<Reader, 'find'>;
  readonly name: string;
  readonly server: Pick<WebhookServer, 'webhooks' | 'conversions'>;
  readonly input: ConfigurationInput;
  readonly signal: AbortSignal;
}

/**
 * Writes the configurations and conversions of one cluster. A request that changes nothing does not change the object.
 *
 * @throws {ApiError} if the cluster refuses one.
 * @throws {Error} if a configuration of this name belongs to another program.
 */
export async function applyWebhooks({ client, reader, name, server, input, signal }: ApplyWebhooks): Promise<void> {
  const call = { signal, timeout: TIMEOUT };
  // Conversions come first, because a webhook may ask for a version that needs one.
  for (const conversion of server.conversions) {
    const key = { name: definitionName(conversion) };
    const patch = { spec: { conversion: conversionPatch(input) } };
    await client.patch(CustomResourceDefinition, key, patch, 'merge', { ...call, fieldManager: FIELD_MANAGER });
  }
  for (const type of TYPES) {
    const webhooks = configuredWebhooks(server.webhooks, type, input);
    const kind = KINDS[type];
    const found = await reader.find<KubernetesObject>(kind, { name }, call);
    const isForeign = found !== undefined && !isInstalled(found);
    if (webhooks.length === 0) {
      if (found && !isForeign) await removeConfiguration(client, kind, { name, ...call });
      continue;
    }
    if (isForeign) {
      throw new Error(`${kind.kind} ${name} belongs to another program: set another "name" in installWebhooks`);
    }
    await applyConfiguration(client, type, { name, webhooks }, call);
  }
}

/** Removes the configurations of this name that {@link applyWebhooks} wrote. @throws {ApiError} if the cluster refuses. */
export async function removeInstalled({
  client,
  name,
  signal,
}: {
  readonly client: Pick<Client, 'delete' | 'find'>;
  readonly name: string;
  readonly signal: AbortSignal;
}): Promise<void> {
  const call = { signal, timeout: TIMEOUT };
  for (const type of TYPES) {
    const found = await client.find<KubernetesObject>(KINDS[type], { name }, call);
    if (found && isInstalled(found)) await removeConfiguration(client, KINDS[type], { name, ...call });
  }
}

interface CallOptions {
  readonly signal: AbortSignal;
  readonly timeout: number;
}

async function applyConfiguration(
  client: Pick<Client, 'apply'>,
  type: (typeof TYPES)[number],
  { name, webhooks }: { readonly name: string; readonly webhooks: readonly ConfiguredWebhook[] },
  call: CallOptions,
): Promise<void> {
  const labels = { [MANAGED_BY]: FIELD_MANAGER };
  const options = { ...call, fieldManager: FIELD_MANAGER, force: true };
  const { apiVersion, kind } = KINDS[type];
  const configuration = { apiVersion, kind, metadata: { name, labels }, webhooks };
  await client.apply(KINDS[type], configuration, options);
}
