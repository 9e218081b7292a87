import { createSecureContext, type SecureContext } from 'node:tls';
import type { TlsConfig } from '../config/cluster-config.ts';

/**
 * What a connection is encrypted with, by the PEMs of `tls`.
 *
 * @throws when they are none, or the key does not belong to the certificate. The error holds nothing of them.
 */
export function secureContextOf({ caData, certData, keyData }: TlsConfig = {}): SecureContext {
  // Node.js takes a text without a certificate for a list of none, so that no server would be trusted.
  if (caData !== undefined && !caData.includes('-----BEGIN ')) throw new Error('the authorities are not a PEM');
  return createSecureContext({
    ...(caData !== undefined && { ca: caData }),
    ...(certData !== undefined && { cert: certData }),
    ...(keyData !== undefined && { key: keyData }),
  });
}
