import type { ClusterConfig } from '@mcr/client';
import { stringify } from 'yaml';

/** How to reach a control plane, in the two forms that people hand around. */
export interface Credentials {
  readonly config: ClusterConfig;
  /** The same as a kubeconfig, in YAML. */
  readonly kubeconfig: string;
}

export interface Access {
  readonly name: string;
  readonly server: string;
  readonly caCertificate: string;
  readonly token: string;
}

export function credentials({ name, server, caCertificate, token }: Access): Credentials {
  return {
    config: { server, tls: { caData: caCertificate }, auth: { type: 'token', token } },
    kubeconfig: stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        { name, cluster: { server, 'certificate-authority-data': Buffer.from(caCertificate).toString('base64') } },
      ],
      users: [{ name, user: { token } }],
      contexts: [{ name, context: { cluster: name, user: name } }],
      'current-context': name,
    }),
  };
}
