import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Auth, ClusterConfig, Impersonation, TlsConfig } from './cluster-config.ts';
import {
  readKubeconfigDocument,
  type Entry,
  type KubeconfigCluster,
  type KubeconfigDocument,
  type KubeconfigUser,
} from './kubeconfig-document.ts';
import { KubeconfigError } from './kubeconfig-error.ts';
import { refuseRestrictedFields, type RestrictedField } from './kubeconfig-policy.ts';
import { printable } from './redaction.ts';

export interface ParseKubeconfigOptions {
  /** Default: the kubeconfig's `current-context`. */
  readonly context?: string;
  /**
   * `trusted`: of the user of this process, who could do all that it may ask for anyway. `untrusted`: of anybody else,
   * from a Secret for example; see {@link RestrictedField}.
   */
  readonly policy: 'trusted' | 'untrusted';
  /** Fields that an untrusted kubeconfig may use all the same. Default: none. */
  readonly allow?: readonly RestrictedField[];
  /** The file that the text comes from: relative paths start there, and errors name it. Default: the working directory. */
  readonly path?: string;
}

/**
 * The config of one context of a kubeconfig, in YAML or JSON. Files that a trusted one names are read now, except for
 * token files. Fields that mean nothing here are ignored. (Upstream: client-go `tools/clientcmd`.)
 *
 * @throws {KubeconfigError} when it cannot be used; the message names the field.
 */
export function parseKubeconfig(text: string, options: ParseKubeconfigOptions): ClusterConfig {
  return clusterConfigOf(readKubeconfigDocument(text, options.path), options);
}

/** The config of one context of a document. */
export function clusterConfigOf(
  document: KubeconfigDocument,
  { context, policy, allow = [] }: ParseKubeconfigOptions,
): ClusterConfig {
  const { cluster, user } = select(document, context);
  if (policy === 'untrusted') refuseRestrictedFields(cluster, user, allow);

  const tls = { ...clusterTls(cluster), ...(user && clientTls(user)) };
  const auth = user && authOf(user);
  const impersonate = user && impersonationOf(user);
  const proxyUrl = cluster.value['proxy-url'];
  return printable({
    server: serverOf(cluster),
    ...(Object.keys(tls).length > 0 && { tls }),
    ...(auth && { auth }),
    ...(impersonate && { impersonate }),
    ...(proxyUrl && { proxyUrl: httpUrl(proxyUrl, cluster, 'proxy-url') }),
  });
}

interface Selection {
  readonly cluster: Entry<KubeconfigCluster>;
  readonly user: Entry<KubeconfigUser> | undefined;
}

function select(document: KubeconfigDocument, chosen: string | undefined): Selection {
  const { path, contexts, clusters, users } = document;
  const name = chosen ?? document.currentContext;
  if (name === undefined) {
    throw new KubeconfigError(`is not set: set it to a context, or choose one of ${namesOf(contexts)}`, {
      field: 'current-context',
      path,
    });
  }
  const context = contexts.get(name);
  if (!context) {
    throw new KubeconfigError(`there is no context ${JSON.stringify(name)}: expected one of ${namesOf(contexts)}`, {
      field: chosen === undefined ? 'current-context' : 'contexts',
      path,
    });
  }
  return {
    cluster: named(clusters, context.value.cluster ?? '', context, 'cluster'),
    user: context.value.user ? named(users, context.value.user, context, 'user') : undefined,
  };
}

function named<T>(entries: ReadonlyMap<string, Entry<T>>, name: string, from: Entry<unknown>, field: string): Entry<T> {
  const entry = entries.get(name);
  if (entry) return entry;
  throw fault(from, field, `there is no ${field} ${JSON.stringify(name)}: expected one of ${namesOf(entries)}`);
}

function namesOf(entries: ReadonlyMap<string, unknown>): string {
  return [...entries.keys()].map((name) => JSON.stringify(name)).join(', ') || '(there are none)';
}

function serverOf(cluster: Entry<KubeconfigCluster>): string {
  const { server } = cluster.value;
  if (!server) throw fault(cluster, 'server', 'is not set: expected the URL of the API server');
  return httpUrl(server, cluster, 'server');
}

/** A URL is not shown when it is wrong: it may hold a password. */
function httpUrl(value: string, cluster: Entry<KubeconfigCluster>, field: 'server' | 'proxy-url'): string {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw fault(cluster, field, 'is not a URL: expected one that begins with https:// or http://');
  }
  if (url.username || url.password)
    throw fault(cluster, field, 'holds a user name or password: expected a URL without');
  return value;
}

function clusterTls(cluster: Entry<KubeconfigCluster>): TlsConfig {
  const caData = pemOf(cluster, 'certificate-authority-data', 'certificate-authority');
  const serverName = cluster.value['tls-server-name'];
  const insecureSkipVerify = cluster.value['insecure-skip-tls-verify'];
  if (insecureSkipVerify && caData !== undefined) {
    throw fault(cluster, 'insecure-skip-tls-verify', 'stands beside a certificate authority: keep one of the two');
  }
  return {
    ...(caData !== undefined && { caData }),
    ...(serverName && { serverName }),
    ...(insecureSkipVerify && { insecureSkipVerify }),
  };
}

function clientTls(user: Entry<KubeconfigUser>): TlsConfig {
  const certData = pemOf(user, 'client-certificate-data', 'client-certificate');
  const keyData = pemOf(user, 'client-key-data', 'client-key');
  if (certData !== undefined && keyData === undefined) {
    throw fault(user, 'client-key-data', 'is not set: expected the key of the client certificate');
  }
  if (keyData !== undefined && certData === undefined) {
    throw fault(user, 'client-certificate-data', 'is not set: expected the certificate of the client key');
  }
  return { ...(certData !== undefined && { certData }), ...(keyData !== undefined && { keyData }) };
}

/** A PEM that stands in the kubeconfig as base64, or in a file that it names. */
function pemOf<Field extends string>(
  entry: Entry<Readonly<Partial<Record<Field, unknown>>>>,
  inline: Field,
  file: Field,
): string | undefined {
  const base64 = entry.value[inline];
  const path = entry.value[file];
  if (base64 && path) throw fault(entry, inline, `stands beside ${file}: keep one of the two`);
  if (typeof base64 === 'string' && base64) return pemText(decodeBase64(base64), entry, inline);
  if (typeof path === 'string' && path) return pemText(readNamedFile(path, entry, file), entry, file);
  return undefined;
}

function pemText(text: string | undefined, entry: Entry<unknown>, field: string): string {
  if (text?.includes('-----BEGIN ')) return text;
  throw fault(entry, field, field.endsWith('-data') ? 'is not a PEM in base64' : 'names a file that is not a PEM');
}

function decodeBase64(base64: string): string | undefined {
  const compact = base64.replace(/\s/g, '');
  return /^[A-Za-z\d+/]+={0,2}$/.test(compact) ? Buffer.from(compact, 'base64').toString('utf8') : undefined;
}

function readNamedFile(path: string, entry: Entry<unknown>, field: string): string {
  try {
    return readFileSync(fromOrigin(path, entry), 'utf8');
  } catch (cause) {
    throw fault(entry, field, 'names a file that cannot be read', cause);
  }
}

function fromOrigin(path: string, { path: origin }: Entry<unknown>): string {
  return resolve(origin === undefined ? '.' : dirname(origin), path);
}

function authOf(user: Entry<KubeconfigUser>): Auth | undefined {
  const { token, tokenFile, username, password, exec } = user.value;
  if (user.value['auth-provider']) {
    throw fault(user, 'auth-provider', 'is not supported: use an exec plugin, such as the one of your cloud, instead');
  }
  const ways = [token || tokenFile ? 'token' : '', username || password ? 'username' : '', exec ? 'exec' : ''];
  const used = ways.filter(Boolean);
  if (used.length > 1) throw fault(user, used[0], `stands beside ${used.slice(1).join(' and ')}: keep one of them`);

  // As in client-go the file wins: the token beside it is the copy of an older content.
  if (tokenFile) return { type: 'tokenFile', path: fromOrigin(tokenFile, user) };
  if (token) return { type: 'token', token };
  if (username || password) return { type: 'basic', username: username ?? '', password: password ?? '' };
  if (!exec) return undefined;
  return {
    type: 'exec',
    apiVersion: exec.apiVersion,
    command: /[/\\]/.test(exec.command) ? fromOrigin(exec.command, user) : exec.command,
    ...(exec.args && { args: exec.args }),
    ...(exec.env && { env: Object.fromEntries(exec.env.map(({ name, value }) => [name, value])) }),
    ...(exec.provideClusterInfo && { provideClusterInfo: true }),
  };
}

function impersonationOf(user: Entry<KubeconfigUser>): Impersonation | undefined {
  const { as, 'as-uid': uid, 'as-groups': groups, 'as-user-extra': extra } = user.value;
  if (as) return { user: as, ...(uid && { uid }), ...(groups && { groups }), ...(extra && { extra }) };
  if (uid || groups || extra)
    throw fault(user, 'as', 'is not set: expected the user that as-uid, as-groups or as-user-extra belong to');
  return undefined;
}

function fault(
  { field, path }: Entry<unknown>,
  name: string | undefined,
  problem: string,
  cause?: unknown,
): KubeconfigError {
  return new KubeconfigError(problem, { field: `${field}.${name}`, path, cause });
}
