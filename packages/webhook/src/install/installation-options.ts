import type { EngageOptions } from '@mcr/core';
import { engageOptionsSchema, objectNameSchema, namespaceSchema, positiveMilliseconds } from '@mcr/core/provider';
import * as z from 'zod';
import { certificatesIn } from '../certificates/ca-bundle.ts';

/** A Service of the cluster of the manager. No other cluster can call it. */
export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  /** Default: 443. */
  readonly port?: number | undefined;
}

/** Options of {@link installWebhooks}. Set exactly one of `url` and `service`. */
export interface InstallWebhooksOptions {
  /** Name of the configurations in every cluster, for example `carts.shop.example.com`. */
  readonly name: string;
  /** Address that the API servers call, for example `https://webhooks.example.com:9443`. */
  readonly url?: string;
  readonly service?: WebhookService;
  /**
   * Identifies this program in the clusters, up to 2,048 characters. It is the same for all replicas, and stays the same when
   * the program is updated: a configuration or a conversion of another owner is neither changed nor deleted. Default: `url`, or the namespace
   * and name of `service`.
   */
  readonly owner?: string;
  /**
   * Selects the clusters. Default: the clusters of the provider, or the local cluster if there is no provider. Not allowed
   * with `service`, which only the local cluster can call.
   */
  readonly clusters?: EngageOptions;
  /**
   * Meaning of a failed call. With `Fail`, users cannot write the objects while the webhooks cannot be reached. Required
   * if clusters of the provider are selected. Default for the local cluster: `Fail`.
   */
  readonly failurePolicy?: 'Fail' | 'Ignore';
  /** Namespaces that the webhooks are not called for, besides `kube-system`. Default: none. */
  readonly excludedNamespaces?: readonly string[];
  /** CA bundle that the API servers verify the certificate with, in PEM. Default: that of the webhook server. */
  readonly caBundle?: string;
  /** Interval at which the configurations are applied again, in milliseconds. Default: 300,000. */
  readonly checkInterval?: number;
  /**
   * Time that a cluster must be away before its configurations are deleted, in milliseconds, because a cluster that is
   * replaced or handed over comes back. Default: 30,000.
   */
  readonly removalDelay?: number;
}

const ADDRESS = 'expected an address such as "https://webhooks.example.com:9443", without user, query and fragment';

const address = z.string(ADDRESS).superRefine((text, context) => {
  const problem = addressProblem(text);
  if (problem !== undefined) context.addIssue(`${ADDRESS}, found ${problem}`);
});

/** Describes the fault of an address, which may contain a password, without its text. */
function addressProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url) return 'a string that is not a URL';
  if (url.protocol !== 'https:') return 'another scheme than https';
  if (url.username !== '' || url.password !== '') return 'an address with a user';
  if (text.includes('#')) return 'an address with a fragment';
  return text.includes('?') ? 'an address with a query' : undefined;
}

const pem = z.string().superRefine((text, context) => {
  try {
    certificatesIn(text);
  } catch (error) {
    context.addIssue((error as Error).message);
  }
});

export const installWebhooksSchema = z
  .strictObject({
    name: objectNameSchema,
    url: address.optional(),
    service: z
      .strictObject({
        namespace: namespaceSchema,
        name: objectNameSchema,
        port: z.int().min(1).max(65_535).optional(),
      })
      .optional(),
    owner: z.string().min(1).max(2048).optional(),
    clusters: engageOptionsSchema.optional(),
    failurePolicy: z.enum(['Fail', 'Ignore']).optional(),
    excludedNamespaces: z.array(namespaceSchema).max(100).default([]),
    caBundle: pem.optional(),
    checkInterval: positiveMilliseconds.default(300_000),
    removalDelay: positiveMilliseconds.default(30_000),
  } satisfies Record<keyof InstallWebhooksOptions, z.ZodType>)
  .refine(
    ({ url, service }) => (url === undefined) !== (service === undefined),
    'set exactly one of the options "url" and "service"',
  )
  .refine(({ service, clusters }) => service === undefined || clusters === undefined, {
    path: ['clusters'],
    message:
      'not allowed with the option "service", which only the local cluster can call: remove it, or set "url" instead',
  });

/** Returns what identifies the program in the clusters. */
export function ownerOf({ owner, url = '', service }: Pick<ParsedInstallOptions, 'owner' | 'url' | 'service'>): string {
  return owner ?? (service ? `${service.namespace}/${service.name}` : url.replace(/\/+$/u, ''));
}

/** Checked options with their defaults. */
export type ParsedInstallOptions = Omit<z.infer<typeof installWebhooksSchema>, 'clusters'> & {
  readonly clusters: EngageOptions;
};
