import type { Cluster, ClusterName } from '@mcr/core';
import { objectNameSchema, namespaceSchema, positiveMilliseconds } from '@mcr/core/provider';
import * as z from 'zod';
import { certificatesIn } from '../certificates/authorities.ts';

/** A Service of the cluster of the manager. No other cluster can call it. */
export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  /** Default: 443. */
  readonly port?: number | undefined;
}

/** Clusters to install webhooks into. */
export type InstalledClusters = 'local' | 'fleet' | 'all' | ((name: ClusterName, cluster: Cluster) => boolean);

/** Options of {@link installWebhooks}. Set exactly one of `url` and `service`. */
export interface InstallWebhooksOptions {
  /** Name of the configurations in every cluster, for example `carts.shop.example.com`. */
  readonly name: string;
  /** Address that the API servers call, for example `https://webhooks.example.com:9443`. */
  readonly url?: string;
  readonly service?: WebhookService;
  /**
   * `local` is the cluster of the manager, `fleet` are the clusters of its provider. A function selects among all. Default:
   * `fleet` with `url` and a provider, else `local`.
   */
  readonly clusters?: InstalledClusters;
  /**
   * Meaning of a failed call. With `Fail`, users cannot write the objects while the webhooks cannot be reached. Required
   * unless `clusters` is `local`, where the default is `Fail`.
   */
  readonly failurePolicy?: 'Fail' | 'Ignore';
  /** Namespaces that the webhooks are not called for, besides `kube-system`. Default: none. */
  readonly excludedNamespaces?: readonly string[];
  /** Authorities that the API servers verify the certificate with, in PEM. Default: those of the webhook server. */
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

const address = z.string(ADDRESS).refine((text) => {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:') return false;
  return url.username === '' && url.password === '' && url.search === '' && url.hash === '' && !text.endsWith('?');
}, ADDRESS);

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
    clusters: z
      .union([
        z.enum(['local', 'fleet', 'all']),
        z.custom<Extract<InstalledClusters, (...args: never[]) => unknown>>(
          (value) => typeof value === 'function',
          'expected "local", "fleet", "all" or a function',
        ),
      ])
      .optional(),
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
  .refine(({ service, clusters = 'local' }) => service === undefined || clusters === 'local', {
    path: ['clusters'],
    message: 'expected "local" with the option "service": no other cluster can call the Service, set "url" instead',
  });

export type ParsedInstallOptions = z.infer<typeof installWebhooksSchema>;
