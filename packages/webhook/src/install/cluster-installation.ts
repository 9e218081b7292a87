import type { Client, Kind, KubernetesObject, Reader } from '@mcr/core';
import {
  CustomResourceDefinition,
  isNotFound,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '@mcr/core';
import { withPermissionAdvice } from '@mcr/core/provider';
import type { WebhookServer } from '../server/webhook-server.ts';
import type { ConfigurationInput, ConfiguredWebhook } from './configurations.ts';
import { configuredWebhooks, conversionPatch, definitionName } from './configurations.ts';
import { FIELD_MANAGER, isInstalled, MANAGED_BY, removeConfiguration } from './remove-webhooks.ts';

/** Deadline of each request, in milliseconds. */
const TIMEOUT = 10_000;

/** The API of one configuration, by its type. */
const KINDS = { mutating: MutatingWebhookConfiguration, validating: ValidatingWebhookConfiguration } as const;
const MANIFEST = 'manifests/rbac-member.yaml of @mcr/webhook';
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

/** The definition of a conversion does not exist yet. */
export class DefinitionMissingError extends Error {
  override readonly name = 'DefinitionMissingError';
}

/**
 * Writes the configurations and conversions of one cluster. A request that changes nothing does not change the object.
 *
 * @throws {DefinitionMissingError} if the CustomResourceDefinition of a conversion does not exist. Nothing was written for it.
 * @throws {ApiError} if the cluster refuses one. A 403 names the missing permission.
 * @throws {Error} if a configuration of this name belongs to another program.
 */
export async function applyWebhooks({ client, reader, name, server, input, signal }: ApplyWebhooks): Promise<void> {
  const call = { signal, timeout: TIMEOUT };
  // Conversions come first, because a webhook may ask for a version that needs one.
  for (const conversion of server.conversions) {
    const key = { name: definitionName(conversion) };
    const patch = { spec: { conversion: conversionPatch(input) } };
    try {
      await client.patch(CustomResourceDefinition, key, patch, 'merge', { ...call, fieldManager: FIELD_MANAGER });
    } catch (error) {
      if (!isNotFound(error)) throw advised(error, CustomResourceDefinition, key.name, ['patch']);
      throw new DefinitionMissingError(`CRD ${key.name} does not exist: install it, for example with ensureCrds`, {
        cause: error,
      });
    }
  }
  for (const type of TYPES) {
    const webhooks = configuredWebhooks(server.webhooks, type, input);
    try {
      if (webhooks.length > 0) await applyConfiguration({ client, reader }, type, { name, webhooks }, call);
      else await removeOwn({ client, reader }, type, name, call);
    } catch (error) {
      throw advised(error, KINDS[type], name, ['get', 'create', 'patch', 'delete']);
    }
  }
}

function advised(error: unknown, kind: Kind<KubernetesObject>, name: string, verbs: readonly string[]): Error {
  return withPermissionAdvice(error as Error, { kind, name, verbs, manifest: MANIFEST });
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
  for (const type of TYPES) await removeOwn({ client, reader: client }, type, name, { signal, timeout: TIMEOUT });
}

interface CallOptions {
  readonly signal: AbortSignal;
  readonly timeout: number;
}

/** Removes the configuration of one type, unless another program wrote it. */
async function removeOwn(
  { client, reader }: Pick<ApplyWebhooks, 'reader'> & { readonly client: Pick<Client, 'delete'> },
  type: (typeof TYPES)[number],
  name: string,
  call: CallOptions,
): Promise<void> {
  const found = await reader.find<KubernetesObject>(KINDS[type], { name }, call);
  if (found && isInstalled(found)) await removeConfiguration(client, KINDS[type], { name, ...call });
}

/** @throws {Error} if another program wrote the configuration. */
async function applyConfiguration(
  { client, reader }: Pick<ApplyWebhooks, 'client' | 'reader'>,
  type: (typeof TYPES)[number],
  { name, webhooks }: { readonly name: string; readonly webhooks: readonly ConfiguredWebhook[] },
  call: CallOptions,
): Promise<void> {
  const kind = KINDS[type];
  const found = await reader.find<KubernetesObject>(kind, { name }, call);
  if (found && !isInstalled(found)) {
    throw new Error(`${kind.kind} ${name} belongs to another program: set another "name" in installWebhooks`);
  }
  const metadata = { name, labels: { [MANAGED_BY]: FIELD_MANAGER } };
  const configuration = { apiVersion: kind.apiVersion, kind: kind.kind, metadata, webhooks };
  await client.apply(kind, configuration, { ...call, fieldManager: FIELD_MANAGER, force: true });
}
