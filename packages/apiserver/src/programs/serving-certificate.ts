import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from './kube-apiserver-settings.ts';
import { createDirectory } from '../create-directory.ts';
import { readSmallFile } from './kube-apiserver-settings.ts';

interface Pair {
  readonly certificate: string;
  readonly key: string;
}

/**
 * Reads the certificate that the flags name, or `apiserver.crt` and `apiserver.key` in the directory of certificates.
 * Creates them there if they do not exist, as kube-apiserver does.
 */
export async function servingCertificate({
  certificate,
  certDir,
}: Pick<Settings, 'certificate' | 'certDir'>): Promise<Pair> {
  if (certificate) {
    return {
      certificate: readSmallFile(certificate.cert, '--tls-cert-file'),
      key: readSmallFile(certificate.key, '--tls-private-key-file'),
    };
  }
  const paths = { certificate: join(certDir, 'apiserver.crt'), key: join(certDir, 'apiserver.key') };
  if (!existsSync(paths.certificate) && !existsSync(paths.key)) {
    const { createIdentity } = await import('../tls/authority.ts');
    const identity = await createIdentity();
    createDirectory(certDir);
    // Clients trust the file itself: it also has the authority that signed the certificate.
    writeFileSync(paths.certificate, `${identity.certificate.trimEnd()}\n${identity.caCertificate.trimEnd()}\n`);
    writeFileSync(paths.key, identity.key, { mode: 0o600 });
  }
  return {
    certificate: readSmallFile(paths.certificate, '--cert-dir'),
    key: readSmallFile(paths.key, '--cert-dir'),
  };
}
