import type { TlsConfig } from './cluster-config.ts';
import type { KubeconfigCluster, KubeconfigUser } from './kubeconfig-document.ts';
import { fault, fromOrigin, type Entry } from './kubeconfig-entry.ts';

/** Returns the TLS settings that verify the server. */
export function clusterTls(cluster: Entry<KubeconfigCluster>): TlsConfig {
  const authority = pemOf(cluster, 'certificate-authority');
  const serverName = cluster.value['tls-server-name'];
  const insecureSkipVerify = cluster.value['insecure-skip-tls-verify'];
  if (insecureSkipVerify && authority) {
    throw fault(
      cluster,
      'insecure-skip-tls-verify',
      'is set together with a certificate authority: keep only one of them',
    );
  }
  return {
    ...(authority && (authority.from === 'data' ? { caData: authority.pem } : { caFile: authority.path })),
    ...(serverName && { serverName }),
    ...(insecureSkipVerify && { insecureSkipVerify }),
  };
}

/** Returns the TLS settings of the client certificate. */
export function clientTls(user: Entry<KubeconfigUser>): TlsConfig {
  const certificate = pemOf(user, 'client-certificate');
  const key = pemOf(user, 'client-key');
  if (certificate && !key) {
    throw fault(user, 'client-key-data', 'is not set: set it to the key of the client certificate');
  }
  if (key && !certificate) {
    throw fault(user, 'client-certificate-data', 'is not set: set it to the certificate of the client key');
  }
  return {
    ...(certificate && (certificate.from === 'data' ? { certData: certificate.pem } : { certFile: certificate.path })),
    ...(key && (key.from === 'data' ? { keyData: key.pem } : { keyFile: key.path })),
  };
}

type Pem = { readonly from: 'data'; readonly pem: string } | { readonly from: 'file'; readonly path: string };

/** Reads a PEM that a kubeconfig contains as base64, or else the path of its file. (Upstream: client-go; data wins.) */
function pemOf<Field extends string>(
  entry: Entry<Readonly<Partial<Record<Field | `${Field}-data`, unknown>>>>,
  field: Field,
): Pem | undefined {
  const inline = `${field}-data` as const;
  const base64 = entry.value[inline];
  if (typeof base64 === 'string' && base64) {
    const pem = decodeBase64(base64);
    if (pem?.includes('-----BEGIN ')) return { from: 'data', pem };
    throw fault(entry, inline, 'is not a PEM in base64');
  }
  const path = entry.value[field];
  return typeof path === 'string' && path ? { from: 'file', path: fromOrigin(path, entry) } : undefined;
}

function decodeBase64(base64: string): string | undefined {
  const compact = base64.replace(/\s/g, '');
  return /^[A-Za-z\d+/]+={0,2}$/.test(compact) ? Buffer.from(compact, 'base64').toString('utf8') : undefined;
}
