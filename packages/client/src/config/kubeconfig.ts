import { isIP } from 'node:net';
import * as z from 'zod';
import { anyValue } from '../options/any-value.ts';
import { foundText } from '../options/found-text.ts';
import { parseOptions } from '../options/parse-options.ts';
import { checkAllowedCommands, type AllowedCommand } from './allowed-command.ts';
import type { ClusterConfig, EndpointRules } from './cluster-config.ts';
import { EndpointGuard, hostOf } from './endpoint-guard.ts';
import { isProxyUrl, PROXY_SCHEMES } from './environment-proxy.ts';
import { authOf, impersonationOf } from './kubeconfig-auth.ts';
import {
  readKubeconfigDocument,
  type KubeconfigCluster,
  type KubeconfigDocument,
  type KubeconfigUser,
} from './kubeconfig-document.ts';
import { fault, type Entry } from './kubeconfig-entry.ts';
import { KubeconfigError } from './kubeconfig-error.ts';
import { refuseRestrictedFields, type RestrictedField } from './kubeconfig-policy.ts';
import { clientTls, clusterTls } from './kubeconfig-tls.ts';
import { printable } from './redaction.ts';

/** Options of {@link parseKubeconfig}. */
export interface ParseKubeconfigOptions {
  /** Name of the context. Default: the kubeconfig's `current-context`. */
  readonly context?: string;
  /**
   * `trusted`: written by the user of this process, so it may use every field. `untrusted`: written by others, for
   * example read from a Secret; see {@link RestrictedField}.
   */
  readonly policy: 'trusted' | 'untrusted';
  /** Restricted fields that an untrusted kubeconfig may use. Default: none. */
  readonly allow?: readonly RestrictedField[];
  /**
   * The exec plugins that may be run, with every argument and variable that the kubeconfig may choose. They do not
   * inherit the environment of this process. Required with `allow: ['exec']` and the policy `untrusted`. Default: any.
   */
  readonly allowedCommands?: readonly AllowedCommand[];
  /**
   * The endpoints that connections may lead to. Default: any for a trusted kubeconfig, any except metadata addresses
   * for an untrusted one.
   */
  readonly endpoints?: EndpointRules;
  /**
   * File of the text. Relative paths are resolved against its directory, and errors contain it. Default: none; relative
   * paths are resolved against the working directory.
   */
  readonly path?: string;
}

/**
 * Parses one context of a kubeconfig in YAML or JSON. Files that the kubeconfig refers to are read on first use, and
 * again when they change. Unknown fields are ignored. (Upstream: client-go `tools/clientcmd`.)
 *
 * @throws {KubeconfigError} if the kubeconfig is not valid; the message names the field.
 * @throws {TypeError} if `policy` is missing, an option is unknown, or an entry of `allowedCommands` does not pin its
 * arguments.
 */
export function parseKubeconfig(text: string, options: ParseKubeconfigOptions): ClusterConfig {
  checkParseArguments('parseKubeconfig', text, options);
  return clusterConfigOf(readKubeconfigDocument(text, options), options);
}

const schema = z.strictObject({
  policy: z.enum(['trusted', 'untrusted'], {
    error: ({ input }) =>
      `expected "trusted" or "untrusted", found ${foundText(input)}: a kubeconfig can name files and commands; use "untrusted" unless the user of this process wrote it`,
  }),
  context: anyValue,
  allow: anyValue,
  allowedCommands: anyValue,
  endpoints: anyValue,
  path: anyValue,
} satisfies Record<keyof ParseKubeconfigOptions, z.ZodType>);

/** Checks the arguments of a parse function. @throws {TypeError} with the argument that is missing or wrong. */
export function checkParseArguments(call: string, text: unknown, options: unknown): void {
  if (typeof text !== 'string') {
    throw new TypeError(`${call}: expected the text of a kubeconfig, found ${foundText(text)}: decode it first`);
  }
  parseOptions(`${call}(text, options)`, schema, options ?? {});
}

/** Returns the config of one context of a document. */
export function clusterConfigOf(
  document: KubeconfigDocument,
  { context, policy, allow, allowedCommands, endpoints: rules }: ParseKubeconfigOptions,
): ClusterConfig {
  checkAllowedCommands(allowedCommands ?? []);
  const { cluster, user } = select(document, context);
  if (policy === 'untrusted') refuseRestrictedFields(cluster, user, { allow, allowedCommands });

  const tls = { ...clusterTls(cluster), ...(user && clientTls(user)) };
  const auth = user && authOf(user, { cluster, allowedCommands });
  const impersonate = user && impersonationOf(user);
  const endpoints = policy === 'untrusted' ? { metadataAddresses: false, ...rules } : rules;
  const proxyUrl = cluster.value['proxy-url'];
  return printable({
    server: serverOf(cluster, endpoints),
    ...(Object.keys(tls).length > 0 && { tls }),
    ...(auth && { auth }),
    ...(impersonate && { impersonate }),
    ...(proxyUrl && { proxyUrl: checkedProxy(proxyUrl, cluster) }),
    ...(endpoints && { endpoints }),
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
    throw new KubeconfigError(`is not set: set it, or pass a context: one of ${namesOf(contexts)}`, {
      field: 'current-context',
      path,
    });
  }
  const context = contexts.get(name);
  if (!context) {
    throw new KubeconfigError(`context ${JSON.stringify(name)} not found: expected one of ${namesOf(contexts)}`, {
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
  throw fault(from, field, `${field} ${JSON.stringify(name)} not found: expected one of ${namesOf(entries)}`);
}

function namesOf(entries: ReadonlyMap<string, unknown>): string {
  return [...entries.keys()].map((name) => JSON.stringify(name)).join(', ') || '(none defined)';
}

/* Errors do not contain an invalid URL, because it may contain a password. */

function serverOf(cluster: Entry<KubeconfigCluster>, endpoints: EndpointRules | undefined): string {
  const { server } = cluster.value;
  if (!server) throw fault(cluster, 'server', 'is not set: expected the URL of the API server');
  const url = URL.parse(server);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw fault(cluster, 'server', 'is not a URL: expected one that begins with https:// or http://');
  }
  if (url.username || url.password) {
    throw fault(cluster, 'server', 'contains a user name or password: remove them from the URL');
  }
  // The address of a name is checked when connecting.
  const host = hostOf(url);
  const refusal = isIP(host) ? new EndpointGuard(endpoints).refusal(host) : undefined;
  if (refusal !== undefined) throw fault(cluster, 'server', `is refused: ${refusal}`);
  return server;
}

function checkedProxy(proxyUrl: string, cluster: Entry<KubeconfigCluster>): string {
  if (isProxyUrl(proxyUrl)) return proxyUrl;
  throw fault(cluster, 'proxy-url', `is not a URL: expected ${PROXY_SCHEMES}`);
}
