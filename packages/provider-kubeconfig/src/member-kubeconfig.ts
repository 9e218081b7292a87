import { readFileSync } from 'node:fs';
import type { ClusterConfig } from '@mcr/core';
import { stringify } from 'yaml';

/**
 * Returns a kubeconfig for `config` that holds all its data, as the provider requires: files are read, and there are no
 * commands.
 *
 * @throws {Error} if its credentials cannot be copied; the message names the field.
 */
export function memberKubeconfig(name: string, config: ClusterConfig): string {
  const { server, tls = {}, proxyUrl } = config;
  const authority = contentOf(tls.caData, tls.caFile);
  const cluster = {
    server,
    ...(authority !== undefined && { 'certificate-authority-data': authority }),
    ...(tls.serverName !== undefined && { 'tls-server-name': tls.serverName }),
    ...(tls.insecureSkipVerify && { 'insecure-skip-tls-verify': true }),
    ...(proxyUrl !== undefined && { 'proxy-url': proxyUrl }),
  };
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster }],
    users: [{ name, user: userOf(config) }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
  // Go programs read YAML 1.1, in which the names no and on are booleans.
  return stringify(kubeconfig, { compat: 'yaml-1.1' });
}

function userOf({ auth, impersonate, proxyAuth, tls = {} }: ClusterConfig): object {
  if (impersonate) throw notCopied('impersonation (as)');
  if (proxyAuth) throw notCopied('a proxy-url with a password');
  if (auth?.type === 'token') return { token: auth.token };
  if (auth) throw notCopied(NAMES[auth.type]);
  const certificate = contentOf(tls.certData, tls.certFile);
  const key = contentOf(tls.keyData, tls.keyFile);
  if (certificate === undefined || key === undefined) throw new Error('the kubeconfig has no credentials');
  return { 'client-certificate-data': certificate, 'client-key-data': key };
}

/** Fields of a kubeconfig, by the type of the authentication. */
const NAMES = {
  tokenFile: 'tokenFile',
  basic: 'username and password',
  exec: 'exec',
  authProvider: 'auth-provider',
  custom: 'custom authentication',
} as const;

function notCopied(field: string): Error {
  return new Error(`the kubeconfig uses ${field}, which a Secret cannot hold: create a ServiceAccount with --rules`);
}

/** Returns the content in base64. */
function contentOf(data: string | undefined, file: string | undefined): string | undefined {
  const text = data ?? (file === undefined ? undefined : readFileSync(file, 'utf8'));
  return text === undefined ? undefined : Buffer.from(text).toString('base64');
}
