import type { Client, DeepReadonly, KubernetesObject, Reader, SourcePermission } from '@mcr/core';
import {
  CustomResourceDefinition,
  isNotFound,
  MutatingWebhookConfiguration,
  partialMetadata,
  ValidatingWebhookConfiguration,
} from '@mcr/core';
import { ownField, shortened, withPermissionAdvice } from '@mcr/core/provider';
import type { WebhookServer } from '../server/webhook-server.ts';
import type { ConfigurationInput, ConfiguredWebhook } from './configurations.ts';
import { configuredWebhooks, conversionPatch, definitionName } from './configurations.ts';
import { configurationPermission, definitionPermission } from './installation-permissions.ts';
import { FIELD_MANAGER, isInstalled, MANAGED_BY, OWNER, removeConfiguration } from './remove-webhooks.ts';

/** Deadline of each request, in milliseconds. */
const TIMEOUT = 10_000;

/** The API of one configuration, by its type. */
const KINDS = { mutating: MutatingWebhookConfiguration, validating: ValidatingWebhookConfiguration } as const;
const MANIFEST = 'manifests/rbac-member.yaml of @mcr/webhook';
const TYPES = ['mutating', 'validating'] as const;
/** Definitions may be large, and only their annotations are read. */
const DefinitionMetadata = partialMetadata(CustomResourceDefinition);

export interface ApplyWebhooks {
  readonly client: Pick<Client, 'apply' | 'patch' | 'delete'>;
  /** Reads without a cache. */
  readonly reader: Pick<Reader, 'find'>;
  readonly name: string;
  /** Identifies the program. */
  readonly owner: string;
  readonly server: Pick<WebhookServer, 'webhooks' | 'conversions'>;
  readonly input: ConfigurationInput;
  readonly signal: AbortSignal;
}

/** A configuration of one type. */
interface Configuration {
  readonly type: (typeof TYPES)[number];
  readonly name: string;
  readonly owner: string;
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
 * @throws {Error} if the cluster answers with another object.
 * @throws {Error} if a configuration of this name, or a conversion, belongs to another program. Nothing was written.
 */
export async function applyWebhooks(options: ApplyWebhooks): Promise<void> {
  const { client, reader, name, owner, server, input, signal } = options;
  const call = { signal, timeout: TIMEOUT };
  const configurations = TYPES.map((type) => {
    const webhooks = configuredWebhooks(server.webhooks, type, input);
    return { type, name, owner, webhooks };
  });
  // Comes before everything that is written: this program may be the wrong one.
  for (const configuration of configurations) {
    if (configuration.webhooks.length > 0) await advising(configuration, () => checkOwn(reader, configuration, call));
  }
  const definitions = server.conversions.map(definitionName);
  for (const definition of definitions) await checkOwnConversion(reader, { definition, owner }, call);
  // Conversions come first, because a webhook may ask for a version that needs one.
  const patch = { metadata: { annotations: { [OWNER]: owner } }, spec: { conversion: conversionPatch(input) } };
  for (const name of definitions) {
    try {
      await client.patch(CustomResourceDefinition, { name }, patch, 'merge', { ...call, fieldManager: FIELD_MANAGER });
    } catch (error) {
      if (!isNotFound(error)) throw advised(error, definitionPermission([name]));
      throw new DefinitionMissingError(`CRD ${name} does not exist: install it, for example with ensureCrds`, {
        cause: error,
      });
    }
  }
  for (const configuration of configurations) {
    await advising(configuration, () =>
      configuration.webhooks.length > 0
        ? applyConfiguration(client, configuration, call)
        : removeOwn({ client, reader }, configuration, call),
    );
  }
}

/** Names the permissions in the error of a call about a configuration. */
async function advising({ type, name }: Configuration, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    throw advised(error, configurationPermission(KINDS[type], name));
  }
}

function advised(error: unknown, permission: SourcePermission): Error {
  return withPermissionAdvice(error as Error, { permission, manifest: MANIFEST });
}

/** Removes the configurations that {@link applyWebhooks} wrote for an owner. @throws {ApiError} if the cluster refuses. */
export async function removeInstalled({
  client,
  name,
  owner,
  signal,
}: {
  readonly client: Pick<Client, 'delete' | 'find'>;
  readonly name: string;
  readonly owner: string;
  readonly signal: AbortSignal;
}): Promise<void> {
  const call = { signal, timeout: TIMEOUT };
  for (const type of TYPES) await removeOwn({ client, reader: client }, { type, name, owner }, call);
}

interface CallOptions {
  readonly signal: AbortSignal;
  readonly timeout: number;
}

/** Removes a configuration, unless another program wrote it. */
async function removeOwn(
  { client, reader }: Pick<ApplyWebhooks, 'reader'> & { readonly client: Pick<Client, 'delete'> },
  { type, name, owner }: Configuration,
  call: CallOptions,
): Promise<void> {
  const found = await reader.find<KubernetesObject>(KINDS[type], { name }, call);
  if (found && isInstalled(found) && [owner, undefined].includes(writtenOwner(found))) {
    await removeConfiguration(client, KINDS[type], { name, ...call });
  }
}

/** @throws {Error} if another program wrote the configuration. */
async function checkOwn(
  reader: ApplyWebhooks['reader'],
  { type, name, owner }: Configuration,
  call: CallOptions,
): Promise<void> {
  const kind = KINDS[type];
  const found = await reader.find<KubernetesObject>(kind, { name }, call);
  if (!found) return;
  if (!isInstalled(found)) {
    throw new Error(`${kind.kind} ${name} belongs to another program: set another "name" in installWebhooks`);
  }
  const other = writtenOwner(found);
  // Without an owner, the annotation was removed, or an earlier version wrote the configuration.
  if (other === undefined || other === owner) return;
  throw new Error(
    `${kind.kind} ${name} belongs to another program, ${shortened(other)}: set another "name" in installWebhooks, or, if this program replaces that one, set "owner" to its owner`,
  );
}

/** @throws {Error} if another program wrote the conversion of a definition. */
async function checkOwnConversion(
  reader: ApplyWebhooks['reader'],
  { definition: name, owner }: { readonly definition: string; readonly owner: string },
  call: CallOptions,
): Promise<void> {
  const found = await reader.find(DefinitionMetadata, { name }, call).catch((error: unknown) => {
    throw advised(error, definitionPermission([name]));
  });
  const other = found && writtenOwner(found);
  if (other === undefined || other === owner) return;
  throw new Error(
    `the conversion of CRD ${name} belongs to another program, ${shortened(other)}: install it with one program, or, if this program replaces that one, set "owner" to its owner`,
  );
}

function writtenOwner({ metadata }: DeepReadonly<KubernetesObject>): string | undefined {
  return ownField({ ...metadata.annotations }, OWNER);
}

async function applyConfiguration(
  client: Pick<Client, 'apply'>,
  { type, name, owner, webhooks }: Configuration & { readonly webhooks: readonly ConfiguredWebhook[] },
  call: CallOptions,
): Promise<void> {
  const kind = KINDS[type];
  const metadata = { name, labels: { [MANAGED_BY]: FIELD_MANAGER }, annotations: { [OWNER]: owner } };
  const configuration = { apiVersion: kind.apiVersion, kind: kind.kind, metadata, webhooks };
  const applied = await client.apply(kind, configuration, { ...call, fieldManager: FIELD_MANAGER, force: true });
  if (applied.metadata.name === name && isInstalled(applied)) return;
  throw new Error(
    `the response of the cluster is not ${kind.kind} ${name}: check which server the endpoint of the cluster leads to`,
  );
}
