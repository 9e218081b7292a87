import { foundText } from '../options/known-options.ts';
import type { Auth, ClusterConfig } from './cluster-config.ts';

type Type = 'string' | 'number' | 'boolean' | 'object' | 'list' | 'function' | 'any';
type Fields = Readonly<Record<string, Type>>;
type FieldsOf<T> = Readonly<Record<keyof T, Type>>;

const CONFIG: FieldsOf<ClusterConfig> = {
  server: 'string',
  tls: 'object',
  auth: 'object',
  impersonate: 'object',
  proxyUrl: 'string',
  proxyAuth: 'object',
  endpoints: 'object',
  userAgent: 'string',
  requestTimeout: 'number',
  qps: 'number',
  burst: 'number',
};

const PARTS: {
  readonly [Part in 'tls' | 'impersonate' | 'proxyAuth' | 'endpoints']: FieldsOf<NonNullable<ClusterConfig[Part]>>;
} = {
  tls: {
    caData: 'string',
    caFile: 'string',
    serverName: 'string',
    insecureSkipVerify: 'boolean',
    certData: 'string',
    keyData: 'string',
    certFile: 'string',
    keyFile: 'string',
  },
  impersonate: { user: 'string', uid: 'string', groups: 'list', extra: 'object' },
  proxyAuth: { username: 'string', password: 'string' },
  endpoints: { allow: 'list', metadataAddresses: 'boolean' },
};

const AUTH: { readonly [Name in Auth['type']]: FieldsOf<Omit<Extract<Auth, { type: Name }>, 'type'>> } = {
  token: { token: 'string' },
  tokenFile: { path: 'string' },
  basic: { username: 'string', password: 'string' },
  exec: {
    apiVersion: 'string',
    command: 'string',
    args: 'list',
    env: 'object',
    provideClusterInfo: 'boolean',
    clusterInfoConfig: 'any',
    installHint: 'string',
    allowedCommands: 'list',
  },
  authProvider: { name: 'string', config: 'object' },
  custom: { headers: 'function' },
};

/** Required fields for each type of authentication. */
const REQUIRED: Readonly<Record<Auth['type'], readonly string[]>> = {
  token: ['token'],
  tokenFile: ['path'],
  basic: ['username', 'password'],
  exec: ['apiVersion', 'command'],
  authProvider: ['name', 'config'],
  custom: ['headers'],
};

/**
 * Refuses a config with an unknown field, or with a field of a wrong type: a misspelled credential would otherwise be
 * ignored, and requests would be anonymous.
 *
 * @throws {TypeError} with the name of the field, but without its value.
 */
export function checkConfig(config: unknown): asserts config is ClusterConfig {
  if (foundType(config) !== 'object' || isOtherObject(config)) {
    const example = typeof config === 'string' ? 'loadKubeconfig({ path })' : 'loadKubeconfig()';
    throw new TypeError(
      `expected a ClusterConfig, found ${foundText(config)}: pass { server: "https://..." } or the result of ${example}`,
    );
  }
  const given = config as Readonly<Record<string, unknown>>;
  checkFields('', given, CONFIG);
  if (given['server'] === undefined) throw new TypeError('server: expected a string, found undefined');
  for (const [part, fields] of Object.entries(PARTS)) {
    if (given[part] !== undefined) checkFields(`${part}.`, given[part] as Readonly<Record<string, unknown>>, fields);
  }
  if (given['auth'] !== undefined) checkAuth(given['auth'] as Readonly<Record<string, unknown>>);
}

function checkAuth({ type, ...fields }: Readonly<Record<string, unknown>>): void {
  const known = AUTH[type as Auth['type']] as Fields | undefined;
  if (typeof type !== 'string' || !Object.hasOwn(AUTH, type) || !known) {
    throw new TypeError(
      `auth.type: expected one of ${Object.keys(AUTH).join(', ')}, as in { type: "token", token }, found ${typeof type === 'string' ? 'an unknown type' : foundText(type)}`,
    );
  }
  checkFields('auth.', fields, known);
  for (const name of REQUIRED[type as Auth['type']]) {
    if (fields[name] === undefined)
      throw new TypeError(`auth.${name}: expected ${withArticle(known[name])} for auth.type ${type}, found undefined`);
  }
}

function checkFields(prefix: string, given: Readonly<Record<string, unknown>>, known: Fields): void {
  for (const [name, value] of Object.entries(given)) {
    const expected = Object.hasOwn(known, name) ? known[name] : undefined;
    if (expected === undefined) {
      throw new TypeError(`unknown field ${prefix}${name}: use only ${Object.keys(known).join(', ')}`);
    }
    if (value === undefined || expected === 'any' || foundType(value) === expected) continue;
    const example = prefix + name === 'auth' ? ' such as { type: "token", token }' : '';
    throw new TypeError(`${prefix}${name}: expected ${withArticle(expected)}${example}, found ${foundText(value)}`);
  }
}

function withArticle(type = 'value'): string {
  return type === 'object' ? 'an object' : `a ${type}`;
}

/** Whether a value is an instance of a class, such as a provider, instead of a config. */
function isOtherObject(value: unknown): boolean {
  const { server } = value as { readonly server?: unknown };
  return server === undefined && foundText(value) !== 'an object';
}

function foundType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}
