import type { ClusterConfig } from '@mcr/client';
import { stringify } from 'yaml';

/** Connection settings and credentials for a control plane, as a ClusterConfig and as a kubeconfig. */
export interface Credentials {
  readonly config: ClusterConfig;
  /** Kubeconfig in YAML with the same content as `config`. */
  readonly kubeconfig: string;
}

export interface Access {
  readonly name: string;
  readonly server: string;
  readonly caCertificate: string;
  /** A bearer token, or a client certificate and its key in PEM. */
  readonly proof: string | { readonly certificate: string; readonly key: string };
}

export function credentials({ name, server, caCertificate, proof }: Access): Credentials {
  const user =
    typeof proof === 'string'
      ? { token: proof }
      : { 'client-certificate-data': base64(proof.certificate), 'client-key-data': base64(proof.key) };
  return {
    config:
      typeof proof === 'string'
        ? { server, tls: { caData: caCertificate }, auth: { type: 'token', token: proof } }
        : { server, tls: { caData: caCertificate, certData: proof.certificate, keyData: proof.key } },
    kubeconfig: stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(caCertificate) } }],
      users: [{ name, user }],
      contexts: [{ name, context: { cluster: name, user: name } }],
      'current-context': name,
    }),
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
