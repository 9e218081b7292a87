import * as z from 'zod';
import { foundText } from '../options/found-text.ts';
import { parseFields } from '../options/parse-options.ts';
import type { Auth, ClusterConfig } from './cluster-config.ts';

type Fields<T> = Record<keyof T, z.ZodType>;
type Part<Name extends keyof ClusterConfig> = Fields<NonNullable<ClusterConfig[Name]>>;
type AuthFields<Type extends Auth['type']> = Fields<Extract<Auth, { type: Type }>>;

const text = z.string();
const flag = z.boolean();
const list = z.array(z.unknown());
const object = z.looseObject({});
const headers = z.custom((value) => typeof value === 'function', 'expected a function');
const aboveZero = z.custom((value) => typeof value === 'number' && value > 0, {
  error: ({ input }) =>
    `expected a number greater than 0, found ${typeof input === 'number' ? input : foundText(input)}`,
});

const exec = {
  type: z.literal('exec'),
  apiVersion: text,
  command: text,
  args: list.optional(),
  env: object.optional(),
  provideClusterInfo: flag.optional(),
  clusterInfoConfig: z.unknown().optional(),
  installHint: text.optional(),
  allowedCommands: list.optional(),
} satisfies AuthFields<'exec'>;

const authSchemas = [
  z.strictObject({ type: z.literal('token'), token: text } satisfies AuthFields<'token'>),
  z.strictObject({ type: z.literal('tokenFile'), path: text } satisfies AuthFields<'tokenFile'>),
  z.strictObject({ type: z.literal('basic'), username: text, password: text } satisfies AuthFields<'basic'>),
  z.strictObject(exec),
  z.strictObject({ type: z.literal('authProvider'), name: text, config: object } satisfies AuthFields<'authProvider'>),
  z.strictObject({ type: z.literal('custom'), headers } satisfies AuthFields<'custom'>),
] as const;
const AUTH_TYPES = authSchemas.map(({ shape }) => JSON.stringify(shape.type.value)).join(', ');

const auth = z.discriminatedUnion('type', authSchemas, {
  // The error does not contain the type, because it may be a credential in the wrong place.
  error: ({ code, input }: z.core.$ZodRawIssue) =>
    code === 'invalid_union'
      ? `expected one of ${AUTH_TYPES}, as in { type: "token", token }, found ${foundText((input as { type?: unknown }).type)}`
      : 'expected an object such as { type: "token", token }',
});

const tls = {
  caData: text.optional(),
  caFile: text.optional(),
  serverName: text.optional(),
  insecureSkipVerify: flag.optional(),
  certData: text.optional(),
  keyData: text.optional(),
  certFile: text.optional(),
  keyFile: text.optional(),
} satisfies Part<'tls'>;

const impersonate = {
  user: text.optional(),
  uid: text.optional(),
  groups: list.optional(),
  extra: object.optional(),
} satisfies Part<'impersonate'>;

const proxyAuth = { username: text.optional(), password: text.optional() } satisfies Part<'proxyAuth'>;
const endpoints = { allow: list.optional(), metadataAddresses: flag.optional() } satisfies Part<'endpoints'>;

const schema = z.strictObject({
  server: text,
  tls: z.strictObject(tls).optional(),
  auth: auth.optional(),
  impersonate: z.strictObject(impersonate).optional(),
  proxyUrl: text.optional(),
  proxyAuth: z.strictObject(proxyAuth).optional(),
  endpoints: z.strictObject(endpoints).optional(),
  userAgent: text.optional(),
  requestTimeout: aboveZero.optional(),
  qps: aboveZero.optional(),
  burst: aboveZero.optional(),
} satisfies Fields<ClusterConfig>);

/**
 * Refuses a config with an unknown field, or with a field of a wrong type: a misspelled credential would otherwise be
 * ignored, and requests would be anonymous.
 *
 * @param caller function that got the config, for the error of a value that is not a config. Default: not named.
 * @throws {TypeError} with the name of the field, but without its value.
 */
export function checkConfig(config: unknown, caller?: string): asserts config is ClusterConfig {
  if (typeof config !== 'object' || config === null || Array.isArray(config) || isOtherObject(config)) {
    const example = typeof config === 'string' ? 'loadKubeconfig({ path })' : 'loadKubeconfig()';
    throw new TypeError(
      `${caller === undefined ? '' : `${caller}: `}expected a ClusterConfig, found ${foundText(config)}: pass { server: "https://..." } or the result of ${example}`,
    );
  }
  parseFields('ClusterConfig', schema, config);
}

/** Whether a value is an instance of a class, such as a provider, instead of a config. */
function isOtherObject(value: object): boolean {
  const { server } = value as { readonly server?: unknown };
  return server === undefined && foundText(value) !== 'an object';
}
