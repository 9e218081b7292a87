import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { AuthorizationMode } from '../access/authorizer.ts';
import type { FeatureGates } from '../feature-gates.ts';
import type { Flags } from './flags.ts';
import { FlagError, lastOf, listOf } from './flags.ts';
import { hasNoEffect, REFUSED } from './kube-apiserver-flags.ts';

/** Settings that the flags of `kube-apiserver` ask for. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly etcdUrl: string;
  readonly certDir: string;
  /** Paths of the certificate and its key. Default: those in `certDir`. */
  readonly certificate: { readonly cert: string; readonly key: string } | undefined;
  /** Authority of client certificates, in PEM. */
  readonly clientAuthority: string | undefined;
  readonly signingKey: string;
  readonly issuer: string;
  readonly authorization: AuthorizationMode;
  /** Content of the token file. */
  readonly tokens: string;
  readonly featureGates: FeatureGates;
  /** Values and flags that have no effect. */
  readonly warnings: readonly string[];
}

/** Range that the addresses of Services come from. */
const SERVICE_RANGE = '10.0.0.0/24';

/** Admission plugins that the embedded server has. It cannot turn them off. */
const PLUGINS = [
  'DefaultTolerationSeconds',
  'MutatingAdmissionWebhook',
  'NamespaceLifecycle',
  'Priority',
  'TaintNodesByCondition',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
];

/** Files that a flag names are small: certificates, keys and lists of tokens. In bytes. */
const FILE_LIMIT = 1024 * 1024;

/** @throws {FlagError} that names the flag that is missing, wrong or not supported. */
export function readSettings(flags: Flags): Settings {
  const refused = [...flags.keys()].find((name) => REFUSED.includes(name));
  if (refused !== undefined) {
    throw new FlagError(`--${refused}: not supported by the embedded API server: use the real kube-apiserver`);
  }
  const [etcdUrl, ...others] = listOf(flags, 'etcd-servers');
  if (etcdUrl === undefined) throw new FlagError('--etcd-servers must be specified');
  if (others.length > 0)
    throw new FlagError('--etcd-servers: the embedded API server stores objects in one place only');
  const cert = lastOf(flags, 'tls-cert-file');
  const key = lastOf(flags, 'tls-private-key-file');
  if ((cert === undefined) !== (key === undefined)) {
    throw new FlagError('--tls-cert-file and --tls-private-key-file: pass both, or neither');
  }
  return {
    host: hostOf(flags),
    port: portOf(flags),
    etcdUrl,
    certDir: lastOf(flags, 'cert-dir') ?? '/var/run/kubernetes',
    certificate: cert === undefined || key === undefined ? undefined : { cert, key },
    clientAuthority: fileOf(flags, 'client-ca-file'),
    signingKey: required(fileOf(flags, 'service-account-signing-key-file'), 'service-account-signing-key-file'),
    issuer: required(flags.get('service-account-issuer')?.[0], 'service-account-issuer'),
    authorization: authorizationOf(flags),
    tokens: fileOf(flags, 'token-auth-file') ?? '',
    featureGates: listOf(flags, 'feature-gates').includes('ShardedListAndWatch=true')
      ? { ShardedListAndWatch: true }
      : {},
    warnings: warningsOf(flags),
  };
}

function required(value: string | undefined, name: string): string {
  if (value === undefined) throw new FlagError(`--${name} is a required flag`);
  return value;
}

function hostOf(flags: Flags): string {
  const host = lastOf(flags, 'bind-address') ?? '0.0.0.0';
  if (isIP(host) === 0) throw new FlagError(`--bind-address: ${JSON.stringify(host)} is not an IP address`);
  return host;
}

function portOf(flags: Flags): number {
  const text = lastOf(flags, 'secure-port') ?? '6443';
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new FlagError(`--secure-port: ${JSON.stringify(text)} must be a port between 1 and 65535`);
}

function fileOf(flags: Flags, name: string): string | undefined {
  const path = lastOf(flags, name);
  return path === undefined || path === '' ? undefined : readSmallFile(path, `--${name}`);
}

/** @throws {FlagError} if the file cannot be read or is too large. */
export function readSmallFile(path: string, source: string): string {
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch (cause) {
    throw new FlagError(`${source}: ${(cause as Error).message}`, { cause });
  }
  if (content.length > FILE_LIMIT) throw new FlagError(`${source}: ${path} is larger than ${FILE_LIMIT} bytes`);
  return content.toString('utf8');
}

function authorizationOf(flags: Flags): AuthorizationMode {
  const modes = listOf(flags, 'authorization-mode');
  const unknown = modes.find((mode) => !['AlwaysAllow', 'Node', 'RBAC'].includes(mode));
  if (unknown !== undefined) {
    throw new FlagError(`--authorization-mode: ${unknown} is not supported: use RBAC, Node or AlwaysAllow`);
  }
  return modes.length === 0 || modes.includes('AlwaysAllow') ? 'AlwaysAllow' : 'RBAC';
}

function warningsOf(flags: Flags): string[] {
  const warnings = [...flags.keys()].filter(hasNoEffect).map((name) => `--${name} has no effect`);
  const range = lastOf(flags, 'service-cluster-ip-range');
  if (range !== undefined && range !== SERVICE_RANGE) {
    warnings.push(`--service-cluster-ip-range: addresses of Services come from ${SERVICE_RANGE}`);
  }
  for (const flag of ['enable-admission-plugins', 'admission-control']) {
    for (const plugin of listOf(flags, flag)) {
      if (!PLUGINS.includes(plugin)) warnings.push(`--${flag}: ${plugin} is not available`);
    }
  }
  for (const plugin of listOf(flags, 'disable-admission-plugins')) {
    if (PLUGINS.includes(plugin)) warnings.push(`--disable-admission-plugins: ${plugin} stays enabled`);
  }
  for (const gate of listOf(flags, 'feature-gates')) {
    if (!gate.startsWith('ShardedListAndWatch=')) warnings.push(`--feature-gates: ${gate} has no effect`);
  }
  return warnings;
}
