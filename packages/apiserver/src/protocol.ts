import * as z from 'zod';
import { type FeatureGates, featureGatesSchema } from './feature-gates.ts';
import { dnsLabelErrors } from './resources/names.ts';
import { type ServiceAddresses, servicesSchema } from './webhooks/service-addresses.ts';

/* Messages between the parent process and the server process over the IPC channel. */

export { createDirectory } from './create-directory.ts';
export { type FeatureGates, featureGatesSchema } from './feature-gates.ts';
export { PORTS } from './http/ports.ts';
export { type DirectoryLockOptions, lockDirectory } from './storage/directory-lock.ts';
export { type Identity, identitySchema } from './tls/identity.ts';
export { type ServiceAddresses, servicesSchema } from './webhooks/service-addresses.ts';

/** Port on 127.0.0.1. */
export const portSchema: z.ZodType<number> = z.int().min(0).max(65_535);

/** Name of a logical cluster. */
export const clusterNameSchema: z.ZodType<string> = z
  .string()
  .refine((name) => dnsLabelErrors(name).length === 0, 'must be a DNS-1123 label');

/** An object as its manifest states it. */
export interface ObjectManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

export const apiObjectSchema: z.ZodType<ObjectManifest> = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});

/** Options of `ApiServer.start`. */
export interface ApiServerOptions {
  /** Directory in which clusters survive the process. Default: clusters are kept in memory. */
  readonly dataDir?: string | undefined;
  /** Number of events of each resource that a watch can resume from. */
  readonly historyLimit: number;
  /** Interval of bookmarks in watches, in milliseconds. */
  readonly bookmarkInterval: number;
  /** Feature gates that differ from their defaults. */
  readonly featureGates: FeatureGates;
  /**
   * Addresses of Services that webhooks name, such as `{ 'shop/webhooks': '127.0.0.1:9443' }`. They need not exist as
   * objects. Default: none, so that webhooks with a Service cannot be called.
   */
  readonly services?: ServiceAddresses | undefined;
  /** Whether objects are garbage-collected, namespaces deleted and roles aggregated. */
  readonly controllers: boolean;
}

/** Options of `ApiServer.createCluster`. */
export interface ClusterOptions {
  /** DNS-1123 label, unique in the server. */
  readonly name: string;
  /** Port on 127.0.0.1. 0: the port that the cluster has in `dataDir`, else a free one. */
  readonly port: number;
  /** CustomResourceDefinitions to install. */
  readonly crds: readonly ObjectManifest[];
}

/** Commands of the server process. `name` is the name of a cluster. */
export type Command =
  | (ApiServerOptions & { readonly method: 'start' })
  | (ClusterOptions & { readonly method: 'createCluster' })
  | {
      readonly method: 'issueToken';
      readonly name: string;
      /** Default: a cluster administrator. */
      readonly user?: string | undefined;
      readonly groups?: readonly string[] | undefined;
    }
  | {
      readonly method: 'issueCertificate';
      readonly name: string;
      readonly user: string;
      readonly groups: readonly string[];
    }
  | {
      readonly method: 'throttle';
      readonly name: string;
      /** Number of requests to refuse with 429. */
      readonly requests: number;
      /** Value of `Retry-After`. */
      readonly retryAfterSeconds: number;
    }
  | { readonly method: 'revokeToken'; readonly name: string; readonly token: string }
  | { readonly method: 'seed'; readonly name: string; readonly object: ObjectManifest; readonly count: number }
  | {
      readonly method: 'removeCluster' | 'compact' | 'endWatches' | 'cutConnections' | 'suspend' | 'resume';
      readonly name: string;
    }
  | { readonly method: 'stop' };

/** Longest interval of a timer of Node.js, in milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Interval of bookmarks, in milliseconds. */
export const bookmarkIntervalSchema = z.number().positive().max(LONGEST_TIMER);

/** User that credentials are issued for. */
const whom = z.strictObject({ user: z.string().min(1), groups: z.array(z.string().min(1)) });

const ofCluster = { name: clusterNameSchema };

const command: z.ZodType<Command> = z.discriminatedUnion('method', [
  z.strictObject({
    method: z.literal('start'),
    dataDir: z.string().optional(),
    historyLimit: z.int().positive(),
    bookmarkInterval: bookmarkIntervalSchema,
    featureGates: featureGatesSchema,
    services: servicesSchema.optional(),
    controllers: z.boolean(),
  }),
  z.strictObject({
    method: z.literal('createCluster'),
    ...ofCluster,
    port: portSchema,
    crds: z.array(apiObjectSchema),
  }),
  z.strictObject({ method: z.literal('removeCluster'), ...ofCluster }),
  z.strictObject({ method: z.literal('issueToken'), ...ofCluster, ...whom.partial().shape }),
  z.strictObject({ method: z.literal('issueCertificate'), ...ofCluster, ...whom.shape }),
  z.strictObject({
    method: z.literal('throttle'),
    ...ofCluster,
    requests: z.int().min(0),
    retryAfterSeconds: z.int().min(0),
  }),
  z.strictObject({ method: z.literal('revokeToken'), ...ofCluster, token: z.string() }),
  z.strictObject({ method: z.literal('compact'), ...ofCluster }),
  z.strictObject({ method: z.literal('endWatches'), ...ofCluster }),
  z.strictObject({ method: z.literal('cutConnections'), ...ofCluster }),
  z.strictObject({ method: z.literal('suspend'), ...ofCluster }),
  z.strictObject({ method: z.literal('resume'), ...ofCluster }),
  z.strictObject({ method: z.literal('seed'), ...ofCluster, object: apiObjectSchema, count: z.int().positive() }),
  z.strictObject({ method: z.literal('stop') }),
]);

/** A command and the number that its reply refers to. */
export interface Call {
  readonly id: number;
  readonly command: Command;
}
export const callSchema: z.ZodType<Call> = z.strictObject({ id: z.int(), command });

/** Connection settings of a cluster. */
export interface ClusterAddress {
  /** Port on 127.0.0.1. */
  readonly port: number;
  /** Authority that signed the certificate of the server, in PEM. */
  readonly caCertificate: string;
  /** Bearer token of a cluster administrator. */
  readonly token: string;
}
const address = z.strictObject({ port: portSchema, caCertificate: z.string(), token: z.string() });

/** A client certificate and its key, in PEM. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}
const clientCertificate = z.strictObject({ certificate: z.string(), key: z.string() });

/**
 * Result of a command: the address for `createCluster`, the token for `issueToken`, the certificate for
 * `issueCertificate`, and `null` for the others.
 */
export type Result = ClusterAddress | ClientCertificate | string | null;
const result: z.ZodType<Result> = z.union([z.null(), z.string(), address, clientCertificate]);

/** The reply to the call with the same number. */
export type Reply =
  | { readonly id: number; readonly ok: true; readonly result: Result }
  | { readonly id: number; readonly ok: false; readonly error: string };
export const replySchema: z.ZodType<Reply> = z.discriminatedUnion('ok', [
  z.strictObject({ id: z.int(), ok: z.literal(true), result }),
  z.strictObject({ id: z.int(), ok: z.literal(false), error: z.string() }),
]);
