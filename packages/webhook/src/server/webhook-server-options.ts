import { parseBindAddress, nonNegativeMilliseconds, positiveMilliseconds } from '@mcr/core/provider';
import * as z from 'zod';
import type { CallerAuth } from './caller.ts';
import type { CertificateOptions } from '../certificates/certificate-options.ts';
import { certificateOptionsSchema } from '../certificates/certificate-options.ts';

/** Limits of a webhook server. */
export interface WebhookLimits {
  /** Largest body of an AdmissionReview, in bytes. Default: 7 MiB, because it holds two objects. */
  readonly admissionBytes?: number;
  /** Largest body of a ConversionReview, in bytes. Default: 64 MiB, because it holds the objects of a list. */
  readonly conversionBytes?: number;
  /** Size of all bodies and responses that are received, processed or sent at the same time, in bytes. Default: 256 MiB. */
  readonly totalBytes?: number;
  /**
   * Number of requests that one webhook, or the conversion of one kind, processes at the same time. More are refused with 429.
   * Default: 100.
   */
  readonly concurrency?: number;
  /**
   * Longest time for a review, in milliseconds, and then for its response to be read. For the review, a shorter time of the
   * API server counts. Default: 30,000.
   */
  readonly timeout?: number;
}

/** Options of {@link createWebhookServer}. (Upstream: `webhook.Options` of controller-runtime.) */
export interface WebhookServerOptions {
  /** Where the certificate comes from. */
  readonly certificate: CertificateOptions;
  /** Listening address, for example `':9443'` or `'127.0.0.1:9443'`. Default: `':9443'`. */
  readonly bindAddress?: string;
  /** Authenticates API servers. Default: every caller may call, so handlers must have no effects and reveal nothing. */
  readonly callerAuth?: CallerAuth;
  readonly limits?: WebhookLimits;
  /**
   * Time for which the server keeps accepting requests after it was told to stop, in milliseconds, so that endpoints and
   * load balancers notice that it ends. Default: 5,000.
   */
  readonly drainDelay?: number;
  /** Time for requests in progress to end after that, in milliseconds. Default: 15,000. */
  readonly drainTimeout?: number;
}

const bindAddress = z.stringFormat(
  'bind address',
  (text) => !['nowhere', null].includes(parseBindAddress(text) as string | null),
  'expected an address such as ":9443"',
);
const bytes = z
  .int()
  .min(1024)
  .max(256 * 1024 * 1024);

export const webhookServerOptionsSchema = z.strictObject({
  certificate: certificateOptionsSchema,
  bindAddress: bindAddress.default(':9443'),
  callerAuth: z
    .strictObject({
      clientCaFile: z.string().min(1).optional(),
      authenticate: z
        .custom<NonNullable<CallerAuth['authenticate']>>((value) => typeof value === 'function', 'expected a function')
        .optional(),
    })
    .refine(
      ({ clientCaFile, authenticate }) => clientCaFile !== undefined || authenticate !== undefined,
      'set clientCaFile, authenticate or both: without them, nothing is authenticated',
    )
    .optional(),
  limits: z
    .strictObject({
      admissionBytes: bytes.default(7 * 1024 * 1024),
      conversionBytes: bytes.default(64 * 1024 * 1024),
      totalBytes: z
        .int()
        .min(1024)
        .default(256 * 1024 * 1024),
      concurrency: z.int().positive().default(100),
      timeout: positiveMilliseconds.default(30_000),
    } satisfies Record<keyof WebhookLimits, z.ZodType>)
    .prefault({}),
  drainDelay: nonNegativeMilliseconds.default(5_000),
  drainTimeout: nonNegativeMilliseconds.default(15_000),
} satisfies Record<keyof WebhookServerOptions, z.ZodType>);

export type ParsedServerOptions = z.infer<typeof webhookServerOptionsSchema>;
