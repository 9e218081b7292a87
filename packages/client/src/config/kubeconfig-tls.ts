import type { TlsConfig } from './cluster-config.ts';
import type { KubeconfigCluster, KubeconfigUser } from './kubeconfig-document.ts';
import { fault, fromOrigin, type Entry } from './kubeconfig-entry.ts';

/** How the server is known to be the one that is meant. */
export function clusterTls(cluster: Entry<KubeconfigCluster>): TlsConfig {
  const authority = pemOf(cluster, 'certificate-authority');
  const serverName = cluster.value['tls-server-name'];
  const insecureSkipVerify = cluster.value['insecure-skip-tls-verify'];
  if (insecureSkipVerify && authority) {
    throw fault(cluster, 'insecure-skip-tls-verify', 'stands beside a certificate authority: keep one of the two');
  }
  return {
    ...(authority && (authority.from === 'data' ? { caData: authority.pem } : { caFile: authority.path })),
    ...(serverName && { serverName }),
    ...(insecureSkipVerify && { insecureSkipVerify }),
  };
}

/** The client certificate. */
export function clientTls(user: Entry<KubeconfigUser>): TlsConfig {
  const certificate = pemOf(user, 'client-certificate');
  const key = pemOf(user, 'client-key');
  if (certificate && !key) {
    throw fault(user, 'client-key-data', 'is not set: expected the key of the client certificate');
  }
  if (key && !certificate) {
    throw fault(user, 'client-certificate-data', 'is not set: expected the certificate of the client key');
  }
  return {
    ...(certificate && (certificate.from === 'data' ? { certData: certificate.pem } : { certFile: certificate.path })),
    ...(key && (key.from === 'data' ? { keyData: key.pem } : { keyFile: key.path })),
  };
}

type Pem = { readonly from: 'data'; readonly pem: string } | { readonly from: 'file'; readonly path: string };

/** A PEM that stands in the kubeconfig as base64, or else in a file that it names. (Upstream: client-go, data wins.) */
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
