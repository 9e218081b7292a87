import { basename, resolve } from 'node:path';

/** Where the clusters of a program come from. */
export const PROVIDERS = {
  kubeconfig: 'Secrets with a kubeconfig in the hub',
  none: 'the cluster that the program runs in, and no others',
  file: 'kubeconfig files',
  capi: 'clusters of Cluster API',
  inventory: 'ClusterProfiles of the Cluster Inventory API',
  namespace: 'each namespace of one cluster as a cluster',
} as const;

export type ProviderName = keyof typeof PROVIDERS;

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
const TAKEN = ['ConfigMap', 'InMemoryCluster', 'Manager', 'McrConfig', 'ObjectOf', 'ReconcileFunction'];

/** Returns the name of a project in a directory. @throws {Error} if it has none that Kubernetes accepts. */
export function nameOf(directory: string): string {
  const name = basename(resolve(directory));
  if (/^[a-z]([a-z0-9-]{0,48}[a-z0-9])?$/u.test(name)) return name;
  throw new Error(
    `${name} is not a name for a Deployment: choose a directory of at most 50 lower-case letters, digits and "-", beginning with a letter`,
  );
}

/** @throws {Error} if the API server, or TypeScript, would refuse the name. */
export function checkKindName(name: string): string {
  if (!/^[A-Z][A-Za-z0-9]{0,62}$/u.test(name)) {
    throw new Error('expected a name in CamelCase such as "Greeting", with at most 63 letters and digits');
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

/** Returns the plural of a kind in URLs, as kubebuilder guesses it: `greetings`, `policies`, `classes`. */
export function pluralOf(kind: string): string {
  const word = kind.toLowerCase();
  if (/[^aeiou]y$/u.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/u.test(word) ? `${word}es` : `${word}s`;
}
