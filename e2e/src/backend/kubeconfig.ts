import type { ClusterConfig } from '@mcr/core';

/** A kubeconfig with a context for each configuration; the first one is the current context. */
export function kubeconfigOfContexts(contexts: Readonly<Record<string, ClusterConfig>>): string {
  const entries = Object.entries(contexts);
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: entries.map(([name, { server, tls: { caData, serverName } = {} }]) => ({
      name,
      cluster: {
        server,
        ...(caData !== undefined && { 'certificate-authority-data': Buffer.from(caData).toString('base64') }),
        ...(serverName !== undefined && { 'tls-server-name': serverName }),
      },
    })),
    users: entries.map(([name, { auth }]) => ({ name, user: auth?.type === 'token' ? { token: auth.token } : {} })),
    contexts: entries.map(([name]) => ({ name, context: { cluster: name, user: name } })),
    'current-context': entries[0]?.[0],
  });
}
