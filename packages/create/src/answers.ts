import { basename, resolve } from 'node:path';

/** Where the clusters of a program come from. */
export const PROVIDERS = {
  kubeconfig: 'Secrets with a kubeconfig in the hub',
  none: 'the cluster that the program runs in, and no others',
  file: 'kubeconfig files',
  capi: 'clusters of Cluster API',
  inventory: 'ClusterProfiles of the Cluster Inventory API',
  namespace: 'each namespace of one cluster as a cluster',
} as const satisfies Record<ProviderName, string>;

export type ProviderName = AddedProvider | 'none';

/** Names of the providers that discover clusters. */
export const ADDED_PROVIDERS = ['kubeconfig', 'file', 'capi', 'inventory', 'namespace'] as const;

/** A provider that discovers clusters. */
export type AddedProvider = (typeof ADDED_PROVIDERS)[number];

/** Built-in kinds that need nothing but a name, so that the tests of a new project can create them. */
export const BUILT_IN = ['ConfigMap', 'Secret', 'ServiceAccount'] as const;

export type BuiltInName = (typeof BUILT_IN)[number];

/** The choices for a new project. */
export interface Answers {
  /** Directory of the project. */
  readonly directory: string;
  /** Name of the package and of the Deployment. */
  readonly name: string;
  readonly provider: ProviderName;
  readonly kind: OwnKind | BuiltInName;
  readonly hasWebhooks: boolean;
  /** Whether the replicas share the clusters. Otherwise one of them works, by leader election. */
  readonly isSharded: boolean;
}

/** A kind that the program defines. */
export interface OwnKind {
  /** For example `Greeting`. */
  readonly name: string;
  readonly plural: string;
  readonly group: string;
}

export const DEFAULTS = {
  directory: 'my-operator',
  provider: 'kubeconfig',
  kind: 'Greeting',
  group: 'demo.example.com',
} as const;

/** Names of values that the code of a project uses beside its kind. */
const TAKEN = [
  ...['ApiClient', 'ConfigMap', 'ControlPlane', 'CustomResourceDefinition', 'InMemoryCluster', 'Manager', 'McrConfig'],
  ...['ObjectOf', 'ReconcileFunction'],
];

/** Returns the name of a project in a directory. @throws {Error} if it has none that Kubernetes accepts. */
export function nameOf(directory: string): string {
  const name = basename(resolve(directory));
  if (PROJECT_NAME.test(name)) return name;
  const near = kebabCase(name).replaceAll(/^[^a-z]+|[^a-z0-9]+$/gu, '');
  const example = PROJECT_NAME.test(near) ? ` such as ${near}` : '';
  throw new Error(
    `${name || 'the root'} is not a name for a Deployment: choose a directory of at most 50 lower-case letters, digits and "-", beginning with a letter${example}`,
  );
}

const PROJECT_NAME = /^[a-z]([a-z0-9-]{0,48}[a-z0-9])?$/u;
const KIND_NAME = /^[A-Z][A-Za-z0-9]{0,62}$/u;

/** @throws {Error} if the API server, or TypeScript, would refuse the name. */
export function checkKindName(name: string): string {
  if (!KIND_NAME.test(name)) {
    const near = camelCase(name).replace(/^[a-z]/u, (letter) => letter.toUpperCase());
    const example = KIND_NAME.test(near) ? near : DEFAULTS.kind;
    throw new Error(`expected a name in CamelCase such as "${example}", with at most 63 letters and digits`);
  }
  if (TAKEN.includes(name) || name in globalThis)
    throw new Error(`the code of the project uses the name ${name} itself: choose another one`);
  return name;
}

/** @throws {Error} if the API server would refuse the group. */
export function checkGroup(group: string): string {
  const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
  if (group.length <= 200 && new RegExp(`^${label}(\\.${label})+$`, 'u').test(group)) return group;
  throw new Error('expected a group with a dot such as "demo.example.com"');
}

/** @throws {Error} if the API server would refuse the plural. */
export function checkPlural(plural: string): string {
  if (/^[a-z]([a-z0-9]{0,61}[a-z0-9])?$/u.test(plural)) return plural;
  throw new Error('expected a name in lower case such as "greetings", with at most 63 letters and digits');
}

/** Returns the plural of a kind in URLs, as kubebuilder guesses it: `greetings`, `policies`, `classes`. */
export function pluralOf(kind: string): string {
  const word = kind.toLowerCase();
  if (/[^aeiou]y$/u.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/u.test(word) ? `${word}es` : `${word}s`;
}

/** Returns the name of the folder of a kind: `maintenance-window`, `http-route`. */
export function kebabCase(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/gu, '$1-$2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/gu, '$1-$2')
    .replaceAll(/[^A-Za-z0-9]+/gu, '-')
    .toLowerCase();
}

/** Returns a name for a variable: `maintenanceWindow`, `httpRoute`. */
export function camelCase(name: string): string {
  return kebabCase(name).replaceAll(/-(.)/gu, (_, letter: string) => letter.toUpperCase());
}
