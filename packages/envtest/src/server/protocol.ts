import * as z from 'zod';
import { featureGatesSchema } from './feature-gates.ts';
import { dnsLabelErrors } from './resources/names.ts';

/* Messages between the parent process and the server process over the IPC channel. */

export const portSchema = z.int().min(0).max(65_535);

export const clusterNameSchema = z
  .string()
  .refine((name) => dnsLabelErrors(name).length === 0, 'must be a DNS-1123 label');
export const apiObjectSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});

/** User that credentials are issued for. */
const whom = z.strictObject({ user: z.string().min(1), groups: z.array(z.string().min(1)) });

const ofCluster = { name: clusterNameSchema };

const command = z.discriminatedUnion('method', [
  z.strictObject({
    method: z.literal('start'),
    dataDir: z.string().optional(),
    historyLimit: z.int().positive(),
    bookmarkInterval: z.number().positive(),
    featureGates: featureGatesSchema,
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

/** Commands of the server process. */
export type Command = z.infer<typeof command>;

/** A command and the number that its reply refers to. */
export const callSchema = z.strictObject({ id: z.int(), command });
export type Call = z.infer<typeof callSchema>;

/** Connection settings of a cluster. */
const address = z.strictObject({ port: portSchema, caCertificate: z.string(), token: z.string() });
export type ClusterAddress = z.infer<typeof address>;

/** A client certificate and its key, in PEM. */
const clientCertificate = z.strictObject({ certificate: z.string(), key: z.string() });
export type ClientCertificate = z.infer<typeof clientCertificate>;

const result = z.union([z.null(), z.string(), address, clientCertificate]);
export type Result = z.infer<typeof result>;

export const replySchema = z.discriminatedUnion('ok', [
  z.strictObject({ id: z.int(), ok: z.literal(true), result }),
  z.strictObject({ id: z.int(), ok: z.literal(false), error: z.string() }),
]);
export type Reply = z.infer<typeof replySchema>;
