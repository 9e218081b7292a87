import type { Client, DeepReadonly, Kind, KubernetesObject } from '@mcr/core';
import { isNotFound, MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@mcr/core';
import { objectNameSchema, parseOptions } from '@mcr/core/provider';
import * as z from 'zod';

/** Owner of the fields of the configurations, and value of their label {@link MANAGED_BY}. */
export const FIELD_MANAGER = 'mcr-webhooks';
export const MANAGED_BY = 'app.kubernetes.io/managed-by';
/** Annotation of a configuration, or of a definition with a conversion, with the option `owner` of `installWebhooks`. */
export const OWNER = 'mcr.dev/webhooks-owner';

/** Deadline of each request, in milliseconds. */
const TIMEOUT = 10_000;
const KINDS = [MutatingWebhookConfiguration, ValidatingWebhookConfiguration] as const;

/** Options of {@link removeWebhooks}. */
export interface RemoveWebhooksOptions {
  /** Name of the configurations. Default: all that `installWebhooks` wrote, by their label. */
  readonly name?: string;
  /** Whether to leave the configurations, and to return those that would be removed. Default: false. */
  readonly dryRun?: boolean;
  /** Default: never aborts. Each request has a deadline of 10 s. */
  readonly signal?: AbortSignal;
}

/** Result of {@link removeWebhooks}. */
export interface RemovedWebhooks {
  /** Kind and name of each configuration, for example `MutatingWebhookConfiguration carts.shop.example.com`. */
  readonly removed: readonly string[];
}

const schema = z.strictObject({
  name: objectNameSchema.optional(),
  dryRun: z.boolean('expected a boolean').optional(),
  signal: z.instanceof(AbortSignal, { error: 'expected an AbortSignal' }).optional(),
} satisfies Record<keyof RemoveWebhooksOptions, z.ZodType>);

/**
 * Deletes the webhook configurations of one cluster. Conversions of CustomResourceDefinitions stay, because stored objects
 * need them. With a `name`, it needs `delete` on that name only, and `get` with `dryRun`; without one, also `list`.
 *
 * @throws {TypeError} if an option is invalid; the message names it.
 * @throws {ApiError} if the cluster refuses. Configurations before that one have been removed.
 */
export async function removeWebhooks(
  client: Pick<Client, 'delete' | 'find' | 'list'>,
  options: RemoveWebhooksOptions = {},
): Promise<RemovedWebhooks> {
  const { name, dryRun = false, signal } = parseOptions('removeWebhooks', schema, options);
  const call = { timeout: TIMEOUT, ...(signal && { signal }) };
  const removed: string[] = [];
  for (const kind of KINDS) {
    for (const found of name === undefined ? await installedNames(client, kind, call) : [name]) {
      const exists = dryRun
        ? (await client.find<KubernetesObject>(kind, { name: found }, call)) !== undefined
        : await removeConfiguration(client, kind, { name: found, ...call });
      if (exists) removed.push(`${kind.kind} ${found}`);
    }
  }
  return { removed };
}

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeout: number;
}

/** Whether `installWebhooks` wrote a configuration. A label alone may have been changed. */
export function isInstalled({ metadata: { labels, managedFields = [] } }: DeepReadonly<KubernetesObject>): boolean {
  return labels?.[MANAGED_BY] === FIELD_MANAGER || managedFields.some(({ manager }) => manager === FIELD_MANAGER);
}

/** @returns whether the configuration existed. */
export async function removeConfiguration(
  client: Pick<Client, 'delete'>,
  kind: Kind<KubernetesObject>,
  { name, ...call }: CallOptions & { readonly name: string },
): Promise<boolean> {
  try {
    await client.delete(kind, { name }, call);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

async function installedNames(
  client: Pick<Client, 'list'>,
  kind: Kind<KubernetesObject>,
  call: CallOptions,
): Promise<readonly string[]> {
  const { items } = await client.list(kind, { labelSelector: `${MANAGED_BY}=${FIELD_MANAGER}`, ...call });
  return items.map(({ metadata }) => metadata.name);
}
