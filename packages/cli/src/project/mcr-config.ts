import type { Kind, KubernetesObject, Manager, ManagerOptions } from '@mcr/core';
import { namespaceSchema, parseOptions } from '@mcr/core/provider';
import { KindVersions } from '@mcr/kinds';
import * as z from 'zod';

/**
 * The default export of `mcr.config.ts`: the parts of a program. The program itself and the commands of `mcr` use the same
 * parts. Importing the file must start nothing.
 *
 * @example
 * export default {
 *   name: 'backup-operator',
 *   kinds: [Backup],
 *   manager: () => ({ leaderElection: { id: 'backup-operator' }, health: { bindAddress: ':8081' } }),
 *   setup: addBackupController,
 * } satisfies McrConfig;
 */
export interface McrConfig {
  /** Name of the Deployment, its ServiceAccount and its roles: at most 50 lower-case letters, digits and `-`. */
  readonly name: string;
  /** Namespace of the program. Default: `name`. */
  readonly namespace?: string;
  /** Kinds that the program defines, by `defineKind` or `defineKindVersions` of `@mcr/kinds`. Default: none. */
  readonly kinds?: readonly (Kind<KubernetesObject> | KindVersions)[];
  /** Makes the webhooks of the program reachable for API servers. Default: no Service is written. */
  readonly webhooks?: McrWebhooks;
  /** Options of `createManager` as in production. `mcr generate` replaces `config`, so that nothing is connected. */
  manager(): ManagerOptions | Promise<ManagerOptions>;
  /** Adds the controllers and webhooks to the manager. Must not wait for the manager to start. */
  setup(manager: Manager): void | Promise<void>;
  /** The workload. Default: see {@link McrDeployment}. */
  readonly deploy?: McrDeployment;
}

/** How API servers reach the webhooks: by the Service `<name>-webhook` in the namespace of the program, port 443. */
export interface McrWebhooks {
  /** Port that `createWebhookServer` listens on. Default: 9443. */
  readonly port?: number;
}

/** The Deployment of a program. */
export interface McrDeployment {
  /** Default: `<name>:latest`. */
  readonly image?: string;
  /** Default: 1; 2 with leader election; 3 with sharding. */
  readonly replicas?: number;
  /** Default: requests of 100m CPU and 128Mi memory, and a limit of 512Mi memory. */
  readonly resources?: McrResources;
  /** Environment variables of the program. `mcr generate` sets them before it calls `manager`. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Names of Secrets in the namespace of the program, by the absolute paths at which they are mounted. Default: none. */
  readonly secrets?: Readonly<Record<string, string>>;
}

/** Compute resources, such as `{ requests: { cpu: '100m' }, limits: { memory: '512Mi' } }`. */
export interface McrResources {
  readonly requests?: Readonly<Record<string, string>>;
  readonly limits?: Readonly<Record<string, string>>;
}

/** The longest name that is added to {@link McrConfig.name}, `-webhook`, fits into the 63 characters of a DNS label. */
const NAME =
  'expected at most 50 lower-case letters, digits and "-", beginning with a letter, such as "backup-operator"';
const PORT = 'expected a port from 1 to 65535';
const MAX_REPLICAS = 1000;
const REPLICAS = `expected a whole number from 1 to ${MAX_REPLICAS}`;
const SECRET = 'expected the name of a Secret';
const FUNCTION = 'expected a function';

const isKind = (value: unknown): boolean => {
  if (value instanceof KindVersions) return true;
  const { apiVersion, kind } = Object(value) as Readonly<Record<string, unknown>>;
  return typeof apiVersion === 'string' && typeof kind === 'string';
};

const quantities = z.record(z.string(), z.string('expected a quantity such as "100m"'));

const schema = z.strictObject({
  name: z.string(NAME).regex(/^[a-z]([a-z0-9-]{0,48}[a-z0-9])?$/u, NAME),
  namespace: namespaceSchema.exactOptional(),
  kinds: z
    .array(
      z.custom<Kind<KubernetesObject> | KindVersions>(isKind, 'expected what defineKind or defineKindVersions returns'),
    )
    .exactOptional(),
  webhooks: z.strictObject({ port: z.int(PORT).min(1, PORT).max(65_535, PORT).exactOptional() }).exactOptional(),
  manager: z.custom<McrConfig['manager']>((value) => typeof value === 'function', FUNCTION),
  setup: z.custom<McrConfig['setup']>((value) => typeof value === 'function', FUNCTION),
  deploy: z
    .strictObject({
      image: z
        .string()
        .min(1, 'expected an image such as "registry.example.com/backup-operator:1.0.0"')
        .exactOptional(),
      replicas: z.int(REPLICAS).min(1, REPLICAS).max(MAX_REPLICAS, REPLICAS).exactOptional(),
      resources: z
        .strictObject({ requests: quantities.exactOptional(), limits: quantities.exactOptional() })
        .exactOptional(),
      env: z.record(z.string(), z.string('expected a text')).exactOptional(),
      secrets: z
        .record(z.string(), z.string(SECRET).regex(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/u, SECRET))
        .refine(
          (secrets) => Object.keys(secrets).every((path) => path.startsWith('/')),
          'expected absolute paths such as "/certs" as keys',
        )
        .exactOptional(),
    } satisfies Record<keyof McrDeployment, z.ZodType>)
    .exactOptional(),
} satisfies Record<keyof McrConfig, z.ZodType>);

/**
 * @param file name of the file in errors.
 * @throws {TypeError} if a field is missing, unknown or invalid. The message names it.
 */
export function checkConfig(file: string, config: object): asserts config is McrConfig {
  parseOptions(file, schema, config);
}
