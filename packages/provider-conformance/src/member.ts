import type { ClusterConfig } from '@mcr/core';
import type { Member } from './contract.ts';

/** @param config connection to a control plane of the suite: a server, its authority, and a token. */
export function memberOf(name: string, config: ClusterConfig, labels: Member['labels'] = {}): Member {
  return { name, labels, config, kubeconfig: kubeconfigOf(name, config) };
}

function kubeconfigOf(name: string, { server, tls, auth }: ClusterConfig): string {
  const authority = tls?.caData && Buffer.from(tls.caData).toString('base64');
  const token = auth?.type === 'token' && auth.token;
  return JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name, cluster: { server, ...(authority && { 'certificate-authority-data': authority }) } }],
      users: [{ name, user: { ...(token && { token }) } }],
      contexts: [{ name, context: { cluster: name, user: name } }],
      'current-context': name,
    },
    undefined,
    2,
  );
}
