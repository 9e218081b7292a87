import { isIP } from 'node:net';
import { namespaceSchema, objectNameSchema, positiveMilliseconds } from '@mcr/core/provider';
import * as z from 'zod';

/**
 * A certificate, and a CA that signs it, which the replicas create, share and rotate in a Secret of the local
 * cluster. The key of the CA is not kept.
 */
export interface ManagedCertificateOptions {
  /** The Secret. It is created unless it exists. */
  readonly secret: { readonly namespace: string; readonly name: string };
  /**
   * DNS names and IP addresses that API servers call: the host of `url`, or `<service>.<namespace>.svc`. A certificate that
   * lacks one is rotated.
   */
  readonly hosts: readonly string[];
  /** Lifetime of a certificate, in milliseconds. It is rotated after two thirds. Default: 90 days. */
  readonly lifetime?: number | undefined;
  /**
   * Time for which clusters trust the next CA before its certificate is served, and the previous one afterwards, in
   * milliseconds. At least 2 minutes, and at most a twelfth of `lifetime`. Default: 1 hour.
   */
  readonly overlap?: number | undefined;
}

const DAY = 86_400_000;
const MIN_OVERLAP = 120_000;
const PARTS = 12;

const host = z
  .string()
  .max(253)
  .refine(
    (text) => isIP(text) !== 0 || /^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/u.test(text),
    'expected a DNS name in lower case, or an IP address',
  );

export const managedCertificateSchema = z
  .strictObject({
    secret: z.strictObject({ namespace: namespaceSchema, name: objectNameSchema }),
    hosts: z.array(host).min(1).max(100),
    lifetime: positiveMilliseconds.max(3650 * DAY).default(90 * DAY),
    overlap: positiveMilliseconds.min(MIN_OVERLAP, `expected at least ${MIN_OVERLAP} ms`).default(3_600_000),
  } satisfies Record<keyof ManagedCertificateOptions, z.ZodType>)
  .refine(({ lifetime, overlap }) => overlap * PARTS <= lifetime, {
    path: ['overlap'],
    message: `expected at most a twelfth of "lifetime"`,
  });

export type ParsedManagedCertificate = z.output<typeof managedCertificateSchema>;
